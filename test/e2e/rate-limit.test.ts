import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from '../support/http.ts';
import { expectRefusal, startBudgets, type Budgets } from './budgets/rig.ts';

/** SPEC "Limits", `rate_limit.*`; DECISIONS "Error bodies", 429 `rate_limited`. */
const QUOTA = 20;
const REFILL_MS = 60_000 / QUOTA;
const rateLimit = { rate_limit: { enabled: true, requests_per_minute: QUOTA } };

let one: Budgets;
let two: Budgets;
let stripped: Budgets;
beforeAll(async () => {
  one = await startBudgets(rateLimit);
  [two, stripped] = await Promise.all([
    startBudgets(rateLimit, one),
    startBudgets({ ...rateLimit, server: { strip_budget_headers: true } }, one),
  ]);
});
afterAll(async () => {
  await Promise.all([two.close(), stripped.close()]);
  await one.close();
});

const passed = (replies: readonly Reply[]): Reply[] => replies.filter(({ status }) => status === 200);
/** What a key may send in a burst that took so long: its quota, and what was refilled meanwhile. */
const most = (elapsedMs: number): number => QUOTA + Math.ceil(elapsedMs / REFILL_MS);

describe('a key may send requests_per_minute', () => {
  it('passes so many, and refuses the next one with when to come back', async () => {
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

  it('does not depend on what other keys send', async () => {
    const [busy, quiet] = await Promise.all([one.newClient(), one.newClient()]);
    const burst = await Promise.all(Array.from({ length: 2 * QUOTA }, () => busy.ask()));
    expect(burst.some(({ status }) => status === 429)).toBe(true);
    expect((await quiet.ask()).status).toBe(200);
  });

  it.each([
    ['one gateway', () => [one.gateway]],
    ['two gateways on one Redis', () => [one.gateway, two.gateway]],
  ])('exactly so many of 200 at once are forwarded, with %s', async (_name, gateways) => {
    const client = await one.newClient({ gateways: gateways() });
    const start = performance.now();
    const replies = await Promise.all(Array.from({ length: 200 }, () => client.ask()));
    const elapsedMs = performance.now() - start;
    expect(passed(replies).length).toBeGreaterThanOrEqual(QUOTA);
    expect(passed(replies).length).toBeLessThanOrEqual(most(elapsedMs));
    expect(client.forwarded()).toHaveLength(passed(replies).length);
    for (const reply of replies) if (reply.status !== 200) expectRefusal(reply, 429, 'rate_limited');
  });

  it('counts what a later check refuses too, and lists of models', async () => {
    const client = await one.newClient({ key: { allowedModels: ['other'] } });
    expectRefusal(await client.ask(), 403, 'policy_denied');
    const { headers } = await client.ask();
    expect(String(headers['ratelimit'])).toMatch(/^"default";r=18;/);
  });
});

describe('clients', () => {
  it('of the OpenAI SDK come back by themselves when they were told to', async () => {
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

  it('get no RateLimit headers with strip_budget_headers, but Retry-After all the same', async () => {
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

it('a request is refused while Redis is away', async () => {
  const client = await one.newClient();
  expect((await client.ask()).status).toBe(200);
  await one.redis.pause();
  try {
    expectRefusal(await client.ask(), 503, 'redis_unavailable');
  } finally {
    await one.redis.resume();
  }
});
