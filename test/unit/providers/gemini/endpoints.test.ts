import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../../src/errors.ts';
import { gemini } from '../../../../src/providers/gemini.ts';

describe('gemini endpoints', () => {
  it.each([
    ['POST', '/v1beta/models/gemini-2.5-flash:generateContent', 'chat'],
    ['POST', '/v1/models/gemini-2.5-flash:streamGenerateContent', 'chat'],
    ['POST', '/v1beta/models/gemini-2.5-flash:countTokens', 'count_tokens'],
    ['POST', '/v1beta/models/gemini-embedding-001:embedContent', 'embeddings'],
    ['POST', '/v1beta/models/gemini-embedding-001:batchEmbedContents', 'embeddings'],
    ['POST', '/v1beta/openai/chat/completions', 'chat'],
    ['POST', '/v1beta/openai/embeddings', 'embeddings'],
    ['GET', '/v1beta/models', 'models'],
    ['GET', '/v1beta/models/gemini-2.5-flash', 'models'],
    ['GET', '/v1beta/openai/models', 'models'],
  ])('reads %s %s as %s', (method, path, operation) => {
    expect(gemini.endpoint(method, path)?.operation).toBe(operation);
  });

  it.each([
    ['POST', '/v1beta/tunedModels/mine:generateContent'],
    ['POST', '/v1beta/models/gemini-x:batchGenerateContent'],
    ['POST', '/v1beta/models/imagen-4:predict'],
    ['POST', '/v1beta/models/gemini-x%3AgenerateContent'],
    ['POST', '/v1beta/models/a/b:generateContent'],
    ['POST', '/v1beta/cachedContents'],
    ['GET', '/v1beta/files'],
  ])('does not read %s %s', (method, path) => {
    expect(gemini.endpoint(method, path)).toBeUndefined();
  });

  it('takes the model from the path', () => {
    expect(gemini.endpoint('POST', '/v1beta/models/gemini-2.5-flash:generateContent')?.model).toBe(
      'gemini-2.5-flash',
    );
  });

  it.each([
    ['?alt=sse', undefined],
    ['?prettyPrint=false&alt=sse', undefined],
    ['', 'json-array'],
    ['?alt=json', 'json-array'],
  ])('knows the format of a stream with the query %j', (query, format) => {
    const endpoint = gemini.endpoint('POST', '/v1beta/models/gemini-x:streamGenerateContent', query);
    expect(endpoint).toBeDefined();
    expect(endpoint?.streamFormat).toBe(format);
  });

  it.each([
    '?alt=sse&alt=json',
    '?alt=proto',
    '?$alt=json&alt=sse',
    '?fields=candidates',
    '?%24fields=candidates',
    '?$httpMethod=DELETE',
    '?$ct=application/x-protobuf',
    '?callback=f',
  ])('reads no endpoint with the query %j, which changes Google’s answer', (query) => {
    for (const path of ['/v1beta/models/gemini-x:streamGenerateContent', '/v1beta/openai/chat/completions']) {
      expect(gemini.endpoint('POST', path, query)).toBeUndefined();
    }
  });

  it('sends API keys and OAuth tokens in their headers', () => {
    expect(gemini.credential('AIzaX')).toMatchObject({ name: 'x-goog-api-key', value: 'AIzaX' });
    expect(gemini.credential('ya29.x')).toMatchObject({ name: 'authorization', value: 'Bearer ya29.x' });
    expect(() => gemini.credential('a\nb')).toThrow(GatewayError);
  });
});
