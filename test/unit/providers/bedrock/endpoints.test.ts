import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../../src/errors.ts';
import { bedrock } from '../../../../src/providers/bedrock.ts';

describe('bedrock endpoints', () => {
  it.each([
    ['/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse', 'anthropic.claude-3-haiku-20240307-v1:0'],
    ['/model/us.amazon.nova-lite-v1:0/converse-stream', 'us.amazon.nova-lite-v1:0'],
    [
      '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.amazon.nova-lite-v1%3A0/converse',
      'us.amazon.nova-lite-v1:0',
    ],
    [
      '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A%3Afoundation-model%2Fanthropic.claude-x/converse',
      'anthropic.claude-x',
    ],
    [
      '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aapplication-inference-profile%2Fabc/converse',
      'arn:aws:bedrock:us-east-1:1:application-inference-profile/abc',
    ],
    ['/model/meta.llama3-8b-instruct-v1%3A0/invoke', 'meta.llama3-8b-instruct-v1:0'],
    ['/model/anthropic.claude-x/count-tokens', 'anthropic.claude-x'],
  ])('reads the model of %s', (path, model) => {
    expect(bedrock.endpoint('POST', path)?.model).toBe(model);
  });

  it.each([
    ['GET', '/model/amazon.nova-lite-v1%3A0/converse'],
    ['POST', '/model/amazon.nova-lite-v1%3A0/async-invoke'],
    ['POST', '/model/amazon.nova-canvas-v1%3A0/invoke'],
    ['POST', '/model/stability.sd3/invoke'],
    ['POST', '/model/..%2F..%2Fguardrail/converse'],
    ['POST', '/model/a%2F..%2Fb/converse'],
    ['POST', '/model/a%00b/converse'],
    ['POST', '/model/a%zz/converse'],
    ['POST', '/model/a%252Fb/converse'],
    ['POST', '/guardrail/g/version/1/apply'],
  ])('does not read %s %s', (method, path) => {
    expect(bedrock.endpoint(method, path)).toBeUndefined();
  });

  it.each([
    ['amazon.titan-embed-text-v2%3A0', 'embeddings'],
    ['cohere.embed-english-v3', 'embeddings'],
    ['cohere.rerank-v3-5%3A0', 'rerank'],
    ['anthropic.claude-x', 'chat'],
  ])('knows what invoking %s is for', (model, operation) => {
    expect(bedrock.endpoint('POST', `/model/${model}/invoke`)?.operation).toBe(operation);
  });
});

describe('bedrock credentials', () => {
  it('are an API key as bearer, or an access key to sign with', () => {
    expect(bedrock.credential('bedrock-api-key-abc=')).toMatchObject({
      name: 'authorization',
      value: 'Bearer bedrock-api-key-abc=',
    });
    expect(bedrock.credential('AKIDEXAMPLE000000000:sec/ret')).toEqual({
      kind: 'sigv4',
      accessKeyId: 'AKIDEXAMPLE000000000',
      secretAccessKey: 'sec/ret',
    });
    expect(bedrock.credential('ASIAEXAMPLE000000000:sec/ret:tok==')).toMatchObject({ sessionToken: 'tok==' });
  });

  it.each([
    'AKIDEXAMPLE000000000:',
    ':secret',
    'a:b',
    'AKIDEXAMPLE000000000:s:',
    'AKIDEXAMPLE000000000:s:t:u',
  ])('of an invalid form are refused without being quoted: %s', (key) => {
    try {
      bedrock.credential(key);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(GatewayError);
      expect(String(error)).not.toContain(key);
    }
  });
});

describe('bedrock request headers', () => {
  it.each([
    ['x-amzn-bedrock-service-tier', 'priority', true],
    ['x-amzn-bedrock-service-tier', 'flex', false],
    ['x-amzn-bedrock-performanceconfig-latency', 'optimized', true],
    ['x-amzn-bedrock-performanceconfig-latency', 'standard', false],
    ['x-amzn-bedrock-guardrailidentifier', 'g', true],
    ['accept', '*/*', false],
  ])('%s: %s leave the cost unbounded: %s', (name, value, unbounded) => {
    expect(bedrock.unboundedBy?.(new Map([[name, value]]))).toBe(unbounded ? name : undefined);
  });
});
