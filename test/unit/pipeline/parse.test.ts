import { describe, expect, it } from 'vitest';
import type { Identified } from '../../../src/pipeline/exchange.ts';
import { parseRequest } from '../../../src/pipeline/parse.ts';
import { providers } from '../../../src/providers/registry.ts';

function identified(): Identified {
  const provider = providers.openrouter;
  const endpoint = provider.endpoint('POST', '/v1/chat/completions');
  return { provider, endpoint, headers: new Map() } as unknown as Identified;
}

function request(fallbacks: number): Buffer {
  const models = Array.from({ length: fallbacks }, (_, index) => `v/m${index}`);
  return Buffer.from(JSON.stringify({ model: 'v/m', models, messages: [] }));
}

describe('a request', () => {
  it('may name some models, but not so many that their prices delay others', () => {
    expect(parseRequest(identified(), request(31)).request.models).toHaveLength(32);
    expect(() => parseRequest(identified(), request(32))).toThrow('more than 32 models');
  });

  it.each([
    ['openai', '/v1/chat/completions', { model: 'LONG', messages: [] }],
    ['openai', '/v1/responses', { model: 'LONG', input: 'x' }],
    ['openai', '/v1/embeddings', { model: 'LONG', input: 'x' }],
    ['anthropic', '/v1/messages', { model: 'LONG', max_tokens: 1, messages: [] }],
    ['cohere', '/v2/chat', { model: 'LONG', messages: [] }],
    ['ollama', '/api/chat', { model: 'LONG', messages: [] }],
    ['openrouter', '/v1/chat/completions', { model: 'm', models: ['n', 'LONG'], messages: [] }],
    ['openrouter', '/v1/messages', { model: 'LONG', max_tokens: 1, messages: [] }],
    ['gemini', '/v1beta/openai/chat/completions', { model: 'LONG', messages: [] }],
    ['bedrock', '/openai/v1/chat/completions', { model: 'LONG', messages: [] }],
  ] as const)('to %s%s names a model of at most 256 characters', (name, path, body) => {
    const provider = providers[name];
    const endpoint = provider.endpoint('POST', path);
    const exchange = { provider, endpoint, headers: new Map() } as unknown as Identified;
    const naming = (model: string) => Buffer.from(JSON.stringify(body).replace('LONG', model));
    expect(parseRequest(exchange, naming('m'.repeat(256))).request.models).toContain('m'.repeat(256));
    expect(() => parseRequest(exchange, naming('m'.repeat(257)))).toThrow('longer than 256 characters');
  });

  it('has no member, at any level, that other parsers read under another name', () => {
    const body = { model: 'v/m', messages: [{ role: 'user', content: 'a', Content: 'b' }] };
    expect(() => parseRequest(identified(), Buffer.from(JSON.stringify(body)))).toThrow('"content"');
  });
});
