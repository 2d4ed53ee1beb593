import { describe, expect, it } from 'vitest';
import { createAllowedCheck } from '../../../src/checks/allowed/check.ts';
import type { Operation } from '../../../src/providers/provider.ts';
import type { Parsed } from '../../../src/pipeline/exchange.ts';

function asks(operation: Operation, models: readonly string[], allowedModels?: readonly string[]): Parsed {
  return { key: { allowedModels }, request: { models }, endpoint: { operation } } as unknown as Parsed;
}

const judge = async (exchange: Parsed) =>
  (await createAllowedCheck().requestBody?.(exchange, undefined))?.kind ?? 'none';

describe('a key that is limited to some models', () => {
  it('may use those, and every one that may serve the request must be among them', async () => {
    expect(await judge(asks('chat', ['gpt-4o'], ['gpt-4o*']))).toBe('pass');
    expect(await judge(asks('chat', ['gpt-4o', 'o3'], ['gpt-4o*']))).toBe('deny');
    expect(await judge(asks('chat', [], ['gpt-4o*']))).toBe('deny');
    expect(await judge(asks('models', [], ['gpt-4o*']))).toBe('pass');
  });

  it('may use none where the list is empty, and any where there is no list', async () => {
    expect(await judge(asks('chat', ['gpt-4o'], []))).toBe('deny');
    expect(await judge(asks('embeddings', ['gpt-4o'], []))).toBe('deny');
    expect(await judge(asks('chat', ['gpt-4o']))).toBe('pass');
  });

  it('may not use an endpoint that nobody can read, whatever model its body names', async () => {
    expect(await judge(asks('unknown', ['gpt-4o'], ['gpt-4o*']))).toBe('deny');
    expect(await judge(asks('unknown', ['gpt-4o']))).toBe('pass');
  });
});
