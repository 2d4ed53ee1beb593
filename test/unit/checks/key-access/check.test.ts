import { describe, expect, it } from 'vitest';
import { createKeyAccessCheck } from '../../../../src/checks/key-access/check.ts';
import type { Parsed } from '../../../../src/pipeline/exchange.ts';
import { createModelOf } from '../../../../src/pricing/deployments.ts';
import type { Operation } from '../../../../src/providers/dialect.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { parsed } from '../../../support/exchange.ts';

function asks(operation: Operation, models: readonly string[], allowedModels?: readonly string[]): Parsed {
  return {
    key: { allowedModels },
    provider: { name: 'openai' },
    request: { models },
    endpoint: { operation },
  } as unknown as Parsed;
}

const DEPLOYMENTS = { 'my-dep': 'gpt-4o', 'gpt-4o-mini': 'gpt-5', Mixed: 'gpt-4o' };
const check = createKeyAccessCheck({ modelOf: createModelOf(DEPLOYMENTS) });

const judge = async (exchange: Parsed) => (await check.requestBody?.(exchange, undefined))?.kind ?? 'none';

describe('a key that is limited to some models', () => {
  it('may use those, and every one that may serve the request must be among them', async () => {
    expect(await judge(asks('chat', ['gpt-4o'], ['gpt-4o*']))).toBe('pass');
    expect(await judge(asks('chat', ['gpt-4o', 'o3'], ['gpt-4o*']))).toBe('deny');
    expect(await judge(asks('chat', [], ['gpt-4o*']))).toBe('deny');
    expect(await judge(asks('models', [], ['gpt-4o*']))).toBe('pass');
  });

  it('may use none if the list is empty, and any without a list', async () => {
    expect(await judge(asks('chat', ['gpt-4o'], []))).toBe('deny');
    expect(await judge(asks('embeddings', ['gpt-4o'], []))).toBe('deny');
    expect(await judge(asks('chat', ['gpt-4o']))).toBe('pass');
  });

  it('may not use an unreadable endpoint with any model', async () => {
    expect(await judge(asks('unknown', ['gpt-4o'], ['gpt-4o*']))).toBe('deny');
    expect(await judge(asks('unknown', ['gpt-4o']))).toBe('pass');
  });
});

describe('another target of a name of `models`', () => {
  it('is left out if it may be served by a model that the key may not use', async () => {
    const only = asks('chat', ['cheap'], ['gpt-4o', 'cheap']);
    const first = { ...asks('chat', ['gpt-4o'], ['gpt-4o', 'cheap']) };
    first.fallbacks = [asks('chat', ['cheap', 'o3'], ['gpt-4o', 'cheap']), only];
    expect(await judge(first)).toBe('pass');
    expect(first.fallbacks).toEqual([only]);
  });
});

describe('an Azure deployment', () => {
  const messages = [{ role: 'user', content: 'Say.' }];
  function deployed(path: string, body: JsonObject, allowedModels: readonly string[]): Parsed {
    const exchange = parsed({ provider: 'azure', path, body });
    return { ...exchange, key: { ...exchange.key, allowedModels } };
  }
  const chat = (deployment: string, more: JsonObject = {}, ...allowed: string[]) =>
    judge(deployed(`/openai/deployments/${deployment}/chat/completions`, { messages, ...more }, allowed));
  const current = (model: string, ...allowed: string[]) =>
    judge(deployed('/openai/v1/chat/completions', { model, messages }, allowed));

  it('is the model that it is mapped to', async () => {
    for (const name of ['my-dep', 'MY-DEP', 'mixed']) {
      expect([await chat(name, {}, 'gpt-4o*'), await current(name, 'gpt-4o*')]).toEqual(['pass', 'pass']);
      expect([await chat(name, {}, 'o3'), await current(name, 'o3')]).toEqual(['deny', 'deny']);
    }
  });

  it('is not the model that it is called like', async () => {
    for (const name of ['gpt-4o-mini', 'gpt-4o-MINI']) {
      expect([await chat(name, {}, 'gpt-4o*'), await current(name, 'gpt-4o*')]).toEqual(['deny', 'deny']);
      expect([await chat(name, {}, 'gpt-5'), await current(name, 'gpt-5')]).toEqual(['pass', 'pass']);
    }
    expect(await chat('my-dep', {}, 'my-dep')).toBe('deny');
  });

  it('is the model itself if it is not mapped', async () => {
    expect([await chat('o3', {}, 'o3'), await current('o3', 'o3')]).toEqual(['pass', 'pass']);
    expect([await chat('mine', {}, 'gpt-4o*'), await current('mine', 'gpt-4o*')]).toEqual(['deny', 'deny']);
  });

  it('is named by the path, not by the body, since Azure ignores the body', async () => {
    expect(await chat('my-dep', { model: 'o3' }, 'gpt-4o*')).toBe('pass');
    expect(await chat('gpt-4o-mini', { model: 'gpt-4o' }, 'gpt-4o*')).toBe('deny');
    expect(await chat('o3', { model: 'my-dep' }, 'gpt-4o*')).toBe('deny');
  });

  it('exists only for Azure', async () => {
    const exchange = parsed({ provider: 'openai', body: { model: 'my-dep', messages } });
    expect(await judge({ ...exchange, key: { ...exchange.key, allowedModels: ['gpt-4o*'] } })).toBe('deny');
  });
});
