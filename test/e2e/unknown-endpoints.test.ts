import { describe, expect, it } from 'vitest';
import type { TestBudget } from '../support/gateway.ts';
import type { Reply } from '../support/http.ts';
import { otherBodies, textsOfOtherBodies } from './unknown-endpoints/bodies.ts';
import { patterns } from './unknown-endpoints/patterns.ts';
import { gateway, provider, UNKNOWN, useRig } from './unknown-endpoints/rig.ts';
import { askWith } from '../support/ask-provider.ts';

/** docs/routing.md: unreadable requests pass only if allowed, and if no other rule depends on their content. */
useRig();

interface Client {
  readonly budget?: TestBudget;
  readonly allowedModels?: string[];
}

/** One request of a new key, with or without a body. */
async function ask(
  method: 'GET' | 'POST',
  headers: Record<string, string>,
  client: Client = {},
): Promise<Reply> {
  const { budget, ...key } = client;
  const { rawKey } = await gateway.createKey(key, budget);
  return askWith(gateway, rawKey, UNKNOWN, method === 'POST' ? { purpose: 'x' } : undefined, headers);
}

it.each(['GET', 'POST'] as const)('a %s of an unknown endpoint passes', async (method) => {
  expect((await ask(method, {})).headers['x-gateway-request-id']).toBeDefined();
  expect(provider.requests.at(-1)).toMatchObject({ method, path: '/v1/files' });
});

it.each<['GET' | 'POST', string, Record<string, string>, Client]>([
  ['GET', 'a key with a budget', {}, { budget: { daily: 1 } }],
  ['POST', 'a key with a budget', {}, { budget: { daily: 1 } }],
  ['GET', 'a session with a budget', { 'x-gateway-session-id': 's', 'x-gateway-session-budget': '1' }, {}],
  ['POST', 'a session with a budget', { 'x-gateway-session-id': 's', 'x-gateway-session-budget': '1' }, {}],
  ['GET', 'a key limited to some models', {}, { allowedModels: ['gpt-4o'] }],
  ['POST', 'a key limited to some models', {}, { allowedModels: ['gpt-4o'] }],
])('a %s of an unknown endpoint is refused for %s', async (method, _who, headers, client) => {
  const before = provider.requests.length;
  const reply = await ask(method, headers, client);
  expect([reply.status, reply.body]).toEqual([403, expect.stringContaining('"type":"policy_denied"')]);
  expect(reply.headers).toMatchObject({
    'x-gateway-policy-block': 'true',
    'x-gateway-block-reason': (JSON.parse(reply.body) as { error: string }).error,
  });
  expect(provider.requests.length).toBe(before);
});

it.each(['GET', 'POST'] as const)(
  'a %s of an unknown endpoint takes a step of its session',
  async (method) => {
    const limits = { 'x-gateway-session-id': 's', 'x-gateway-session-max-steps': '0' };
    const reply = await ask(method, limits);
    expect([reply.status, reply.body]).toEqual([429, expect.stringContaining('"type":"max_steps_exceeded"')]);
  },
);

describe('a body other than JSON, to an unknown endpoint,', otherBodies);
describe('the text of a body other than JSON', textsOfOtherBodies);
describe('a list of patterns', patterns);
