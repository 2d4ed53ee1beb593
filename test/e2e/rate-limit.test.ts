import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rateLimitKey } from '../../src/redis/keys.ts';
import { send, type Reply, type SendOptions } from '../support/http.ts';
import { CHAT, CHAT_BODY, expectRefusal, startBudgets, type Budgets } from './budgets/rig.ts';

/** docs/rate-limit.md, `rate_limit.*`; docs/refusals.md, 429 `rate_limited`. */
const QUOTA = 20;
const REFILL_MS = 60_000 / QUOTA;
const MAX_BYTES = 20_000;
const rateLimit = {
  rate_limit: { enabled: true, requests_per_minute: QUOTA },
  server: { max_payload_bytes: MAX_BYTES },
  mcp: { enabled: true, servers: [{ name: 'files', url: 'http://127.0.0.1:9/mcp' }] },
};

let one: Budgets;
let two: Budgets;
let stripped: Budgets;
beforeAll(async () => {
  one = await startBudgets(rateLimit);
  [two, stripped] = await Promise.all([
    startBudgets(rateLimit, one),
    startBudgets({ ...rateLimit, server: { ...rateLimit.server, strip_budget_headers: true } }, one),
  ]);
});
afterAll(async () => {
  await Promise.all([two.close(), stripped.close()]);
  await one.close();
});

const passed = (replies: readonly Reply[]): Reply[] => replies.filter(({ status }) => status === 200);
/** The maximum of a burst of this duration: the quota, and the refill meanwhile. */
const most = (elapsedMs: number): number => QUOTA + Math.ceil(elapsedMs / REFILL_MS);

describe('a key may send requests_per_minute', () => {
  it('passes this many, and refuses the next one with the time to retry', async () => {
    const client = await one.newClient();
    const start = performance.now();
    const replies: Reply[] = [];
    while (replies.at(-1)?.status !== 429) replies.push(await client.ask());
    expect(passed(replies).length).toBeGreaterThanOrEqual(QUOTA);
    expect(passed(replies).length).toBeLessThanOrEqual(most(performance.now() - start));
    expect(client.forwarded()).toHaveLength(passed(replies).length);
    expect(replies[0]?.headers).toMatchObject({
      'ratelimit-policy': `"default";q=${String(QUOTA)};w=60`,
      ratelimit: `"default";r=${String(QUOTA - 1)};t=3`,
    });
    const [refused] = replies.slice(-1);
    if (refused === undefined) throw new Error('nothing was refused');
    expectRefusal(refused, 429, 'rate_limited');
    const wait = String(refused.headers['retry-after']);
    expect(wait).toMatch(/^[1-3]$/);
    expect(refused.headers['ratelimit']).toBe(`"default";r=0;t=${wait}`);
    expect(refused.headers['ratelimit-policy']).toBe(`"default";q=${String(QUOTA)};w=60`);
    expect(refused.headers['x-should-retry']).toBeUndefined();
  });

  it('does not depend on other keys', async () => {
    const [busy, quiet] = await Promise.all([one.newClient(), one.newClient()]);
    const burst = await Promise.all(Array.from({ length: 2 * QUOTA }, () => busy.ask()));
    expect(burst.some(({ status }) => status === 429)).toBe(true);
    expect((await quiet.ask()).status).toBe(200);
  });

  it.each([
    ['one gateway', () => [one.gateway]],
    ['two gateways on one Redis', () => [one.gateway, two.gateway]],
  ])('exactly this many of 200 simultaneous requests are forwarded, with %s', async (_name, gateways) => {
    const client = await one.newClient({ gateways: gateways() });
    const start = performance.now();
    const replies = await Promise.all(Array.from({ length: 200 }, () => client.ask()));
    const elapsedMs = performance.now() - start;
    expect(passed(replies).length).toBeGreaterThanOrEqual(QUOTA);
    expect(passed(replies).length).toBeLessThanOrEqual(most(elapsedMs));
    expect(client.forwarded()).toHaveLength(passed(replies).length);
    for (const reply of replies) if (reply.status !== 200) expectRefusal(reply, 429, 'rate_limited');
  });

  it('counts requests that a later check refuses, and model lists', async () => {
    const client = await one.newClient({ key: { allowedModels: ['other'] } });
    expectRefusal(await client.ask(), 403, 'policy_denied');
    const { headers } = await client.ask();
    expect(String(headers['ratelimit'])).toMatch(/^"default";r=18;/);
  });
});

const JSON_TYPE = { 'content-type': 'application/json' };
const GET = { method: 'GET' };
const OTHER_KEY = { 'x-api-key': 'sk-another', 'x-goog-api-key': 'sk-a-third' };

describe('a request with a valid key takes a slot, even if it is refused', () => {
  it.each<[string, number, string, SendOptions]>([
    ['no address', 404, 'unknown_provider', { path: '/' }],
    ['an unknown provider', 404, 'unknown_provider', { path: '/acme/v1/chat/completions', ...GET }],
    ['an unknown MCP server', 404, 'unknown_mcp_server', { path: '/mcp/other' }],
    ['an unknown path', 404, 'not_found', { path: '/mcp/files/nothing' }],
    ['an encoded slash', 400, 'invalid_request', { path: '/openai/v1/chat%2Fcompletions' }],
    ['an endpoint that cannot be read', 403, 'policy_denied', { path: '/openai/v1/files', body: '{}' }],
    ['another method', 405, 'method_not_allowed', { method: 'PUT' }],
    [
      'another origin',
      403,
      'policy_denied',
      { path: '/mcp/files', headers: { origin: 'https://evil.example' } },
    ],
    [
      'another type',
      415,
      'unsupported_media_type',
      { body: '{}', headers: { 'content-type': 'text/plain' } },
    ],
    ['a coding', 415, 'unsupported_media_type', { body: '{}', headers: { 'content-encoding': 'gzip' } }],
    ['too much, and says so', 413, 'payload_too_large', { body: 'x'.repeat(MAX_BYTES + 1) }],
    ['too much, in chunks', 413, 'payload_too_large', { body: 'x'.repeat(MAX_BYTES + 1), chunked: true }],
    ['no body', 400, 'invalid_request', { method: 'POST', headers: JSON_TYPE }],
    ['a body that is not JSON', 400, 'invalid_request', { body: '{"model":' }],
    ['a member twice', 400, 'invalid_request', { body: '{"model":"flat","model":"flat"}' }],
    ['two provider keys', 400, 'invalid_request', { body: JSON.stringify(CHAT_BODY), headers: OTHER_KEY }],
    ['a batch', 400, 'invalid_request', { path: '/mcp/files', body: '[]' }],
  ])('%s: %i %s, and 429 over the limit', async (_what, status, type, options) => {
    const { rawKey, keyHash } = await one.gateway.createKey();
    const ask = (): Promise<Reply> =>
      send(one.gateway.baseUrl, {
        path: CHAT,
        ...options,
        headers: {
          authorization: `Bearer ${rawKey}`,
          'x-gateway-provider-key': 'sk-mine',
          ...(options.body !== undefined && JSON_TYPE),
          ...options.headers,
        },
      });
    const reply = await ask();
    expectRefusal(reply, status, type);
    expect(reply.headers['ratelimit']).toBe(`"default";r=${String(QUOTA - 1)};t=3`);
    const inAnHour = (Date.now() + 3_600_000) * 1_000;
    await one.redis.client.set(rateLimitKey(keyHash), inAnHour.toFixed(0), 'PX', 60_000);
    expectRefusal(await ask(), 429, 'rate_limited');
  });

  it('and one without a valid key takes none', async () => {
    const { rawKey, keyHash } = await one.gateway.createKey();
    await one.gateway.redis.client.set(`gateway:quarantine:${keyHash}`, 'x', 'EX', 100);
    const authorization = `Bearer ${rawKey}`;
    const locked = await send(one.gateway.baseUrl, { path: '/', headers: { authorization } });
    expectRefusal(locked, 403, 'quarantined');
    expect(await one.redis.client.exists(rateLimitKey(keyHash))).toBe(0);
    expect(locked.headers['ratelimit']).toBeUndefined();
  });

  it('with two proxy keys counts for the first', async () => {
    const [first, second] = [await one.gateway.createKey(), await one.gateway.createKey()];
    const headers = { authorization: `Bearer ${first.rawKey}`, 'x-api-key': second.rawKey };
    expectRefusal(await send(one.gateway.baseUrl, { path: CHAT, headers }), 400, 'invalid_request');
    expect(await one.redis.client.exists(rateLimitKey(first.keyHash))).toBe(1);
    expect(await one.redis.client.exists(rateLimitKey(second.keyHash))).toBe(0);
  });
});

describe('clients', () => {
  it('with the OpenAI SDK retry by themselves at the given time', async () => {
    const client = await one.newClient({ providerKey: 'sk-retrying' });
    const { rawKey } = await one.gateway.createKey();
    const sdk = new OpenAI({
      baseURL: `${one.gateway.baseUrl}/openai/v1`,
      apiKey: rawKey,
      defaultHeaders: { 'x-gateway-provider-key': 'sk-retrying' },
      maxRetries: 2,
    });
    const ask = () =>
      sdk.chat.completions.create({
        model: 'flat',
        max_tokens: 10,
        messages: [{ role: 'user', content: 'Say something.' }],
      });
    await Promise.all(Array.from({ length: QUOTA }, ask));
    const start = performance.now();
    await Promise.all([ask(), ask()]);
    expect(performance.now() - start).toBeGreaterThan(1_000);
    expect(client.forwarded()).toHaveLength(QUOTA + 2);
  });

  it('get no RateLimit headers with strip_budget_headers, but still Retry-After', async () => {
    const client = await one.newClient({ gateways: [stripped.gateway] });
    const replies = await Promise.all(Array.from({ length: 2 * QUOTA }, () => client.ask()));
    for (const { headers } of replies) {
      expect(Object.keys(headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
    }
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers } of refused) expect(headers['retry-after']).toMatch(/^[1-3]$/);
  });
});

it('a request is refused while Redis is unreachable', async () => {
  const client = await one.newClient();
  expect((await client.ask()).status).toBe(200);
  await one.redis.pause();
  try {
    expectRefusal(await client.ask(), 503, 'redis_unavailable');
  } finally {
    await one.redis.resume();
  }
});
