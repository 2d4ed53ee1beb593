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
  it('may name some models, but not so many that looking up their prices holds up the others', () => {
    expect(parseRequest(identified(), request(31)).request.models).toHaveLength(32);
    expect(() => parseRequest(identified(), request(32))).toThrow('more than 32 models');
  });
});
