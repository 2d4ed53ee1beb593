import { describe, expect, it } from 'vitest';
import { createRateLimitCheck } from '../../../../src/checks/rate-limit/check.ts';
import {
  createRedisRateLimitStore,
  type RateLimitStore,
  type Slot,
} from '../../../../src/checks/rate-limit/store.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import { rateLimitKey } from '../../../../src/redis/keys.ts';
import { parsed } from '../../../support/exchange.ts';
import type { TestRedis } from '../../../support/redis.ts';
import { connect, useRedis, newKeyHash } from '../budget/support.ts';

const MINUTE_MS = 60_000;

let redis: TestRedis;
let client: RedisClient;
useRedis((started) => ({ redis, client } = started));

const redisStore = (now?: () => number): RateLimitStore =>
  createRedisRateLimitStore({ client, deadlineMs: 2_500, ...(now === undefined ? {} : { now }) });

async function takeMany(store: RateLimitStore, keyHash: string, quota: number, count: number) {
  const slots: Slot[] = [];
  for (let nth = 0; nth < count; nth++) slots.push(await store.takeSlot(keyHash, quota, MINUTE_MS));
  return slots;
}

/** Keys of a test with a fake clock live by it, so it runs beside the real one. */
const START = Date.now() + 3_600_000;

describe('a rate limit by its own clock', () => {
  function rig() {
    const clock = { now: START };
    return { clock, store: redisStore(() => clock.now), keyHash: newKeyHash() };
  }

  it('admits its quota at once, and refuses the next request', async () => {
    const { store, keyHash } = rig();
    const slots = await takeMany(store, keyHash, 60, 61);
    expect(slots.slice(0, 60).every(({ taken }) => taken)).toBe(true);
    expect(slots.map(({ remaining }) => remaining)).toEqual([...Array(60).keys()].reverse().concat(0));
    expect(slots[0]).toEqual({ taken: true, remaining: 59, waitMs: 0, fullMs: 1_000 });
    expect(slots[59]).toEqual({ taken: true, remaining: 0, waitMs: 1_000, fullMs: 60_000 });
    expect(slots[60]).toEqual({ taken: false, remaining: 0, waitMs: 1_000, fullMs: 60_000 });
  });

  it('refills evenly: one slot in a sixtieth of the minute, all of them in a minute', async () => {
    const { clock, store, keyHash } = rig();
    await takeMany(store, keyHash, 60, 60);
    clock.now += 999;
    expect(await store.takeSlot(keyHash, 60, MINUTE_MS)).toMatchObject({ taken: false, waitMs: 1 });
    clock.now += 1;
    expect((await takeMany(store, keyHash, 60, 2)).map(({ taken }) => taken)).toEqual([true, false]);
    clock.now += MINUTE_MS;
    expect((await takeMany(store, keyHash, 60, 61)).filter(({ taken }) => taken)).toHaveLength(60);
  });

  it('takes nothing for a refused request', async () => {
    const { clock, store, keyHash } = rig();
    await takeMany(store, keyHash, 2, 50);
    expect(await store.takeSlot(keyHash, 2, MINUTE_MS)).toMatchObject({ taken: false, waitMs: 30_000 });
    clock.now += 30_000;
    expect(await store.takeSlot(keyHash, 2, MINUTE_MS)).toMatchObject({ taken: true });
  });

  it('counts exactly if a minute cannot be divided by the quota', async () => {
    const { clock, store, keyHash } = rig();
    expect((await takeMany(store, keyHash, 7, 8)).map(({ taken }) => taken)).toEqual([
      ...Array<boolean>(7).fill(true),
      false,
    ]);
    clock.now += Math.ceil(MINUTE_MS / 7);
    expect((await takeMany(store, keyHash, 7, 2)).map(({ taken }) => taken)).toEqual([true, false]);
  });

  it('gives each key its own quota', async () => {
    const { store, keyHash } = rig();
    await takeMany(store, keyHash, 1, 2);
    expect(await store.takeSlot(newKeyHash(), 1, MINUTE_MS)).toMatchObject({ taken: true });
  });

  it('does not block a key if the clock went back, or the quota was reduced', async () => {
    const { clock, store, keyHash } = rig();
    await takeMany(store, keyHash, 60, 60);
    clock.now -= 3_600_000;
    expect(await store.takeSlot(keyHash, 60, MINUTE_MS)).toMatchObject({ taken: false, waitMs: 1_000 });
    clock.now += 999;
    expect(await store.takeSlot(keyHash, 60, MINUTE_MS)).toMatchObject({ taken: false, waitMs: 1 });
    clock.now += 1;
    expect((await takeMany(store, keyHash, 60, 2)).map(({ taken }) => taken)).toEqual([true, false]);
    expect(await store.takeSlot(keyHash, 7, MINUTE_MS)).toMatchObject({ taken: false, waitMs: 8_572 });
    clock.now += 8_572;
    expect(await store.takeSlot(keyHash, 7, MINUTE_MS)).toMatchObject({ taken: true });
  });

  it('gives a key no more than its quota if the clock goes forward, and comes back', async () => {
    const { clock, store, keyHash } = rig();
    await takeMany(store, keyHash, 60, 60);
    clock.now += 3_600_000;
    expect((await takeMany(store, keyHash, 60, 61)).filter(({ taken }) => taken)).toHaveLength(60);
    clock.now -= 3_600_000;
    expect((await takeMany(store, keyHash, 60, 61)).filter(({ taken }) => taken)).toHaveLength(0);
    clock.now += MINUTE_MS;
    expect((await takeMany(store, keyHash, 60, 61)).filter(({ taken }) => taken)).toHaveLength(60);
  });
});

describe('a rate limit in Redis', () => {
  it('admits exactly 20 of 200 parallel requests, from two gateways', async () => {
    const second = await connect(redis.addr);
    const stores = [redisStore(), createRedisRateLimitStore({ client: second, deadlineMs: 2_500 })];
    const keyHash = newKeyHash();
    const slots = await Promise.all(
      Array.from({ length: 200 }, (_, nth) => stores[nth % 2]?.takeSlot(keyHash, 20, MINUTE_MS)),
    );
    second.disconnect();
    expect(slots.filter((slot) => slot?.taken)).toHaveLength(20);
  });

  it('leaves a key in Redis only until its quota is full again', async () => {
    const store = redisStore();
    const keyHash = newKeyHash();
    await takeMany(store, keyHash, 60, 3);
    const ttlMs = await client.pttl(rateLimitKey(keyHash));
    expect(ttlMs).toBeGreaterThan(2_000);
    expect(ttlMs).toBeLessThanOrEqual(3_000);
  });

  it('is redis_unavailable while Redis is frozen', async () => {
    const store = createRedisRateLimitStore({ client, deadlineMs: 100 });
    await redis.pause();
    try {
      await expect(store.takeSlot(newKeyHash(), 60, MINUTE_MS)).rejects.toMatchObject({
        type: 'redis_unavailable',
      });
    } finally {
      await redis.resume();
    }
  });
});

function checkRig(config: { enabled: boolean; requests_per_minute: number }) {
  const clock = { now: START };
  const keyHash = newKeyHash();
  const check = createRateLimitCheck({ config, store: redisStore(() => clock.now) });
  async function send() {
    const exchange = parsed({ keyHash, body: { model: 'm', messages: [] } });
    const state = check.begin?.() ?? {};
    check.prepare?.(exchange.key, state);
    const verdict = await check.admit?.(exchange, state);
    return { verdict, headers: Object.fromEntries(exchange.responseHeaders) };
  }
  return { clock, check, send };
}

describe('the rate limit check', () => {
  it('reports quota and remainder in structured fields, and the remainder until the quota is full', async () => {
    const { clock, send } = checkRig({ enabled: true, requests_per_minute: 60 });
    for (let nth = 1; nth < 10; nth++) await send();
    expect(await send()).toEqual({
      verdict: { kind: 'pass' },
      headers: { 'ratelimit-policy': '"default";q=60;w=60', ratelimit: '"default";r=50;t=10' },
    });
    clock.now += 400;
    expect((await send()).headers['ratelimit']).toBe('"default";r=49;t=11');
  });

  it('refuses with a wait in whole seconds, rounded up, and the same wait in RateLimit', async () => {
    const { clock, send } = checkRig({ enabled: true, requests_per_minute: 7 });
    for (let nth = 1; nth <= 7; nth++) await send();
    expect(await send()).toEqual({
      verdict: {
        kind: 'deny',
        type: 'rate_limited',
        message: 'this key has reached its limit of requests per minute (7): try again in 9 s',
        headers: { 'retry-after': '9' },
      },
      headers: { 'ratelimit-policy': '"default";q=7;w=60', ratelimit: '"default";r=0;t=9' },
    });
    clock.now += 8_571;
    expect((await send()).verdict).toMatchObject({ headers: { 'retry-after': '1' } });
  });

  it('acts in shadow mode too, and never if disabled', async () => {
    const { check } = checkRig({ enabled: true, requests_per_minute: 1 });
    expect(check.shadowable).toBe(false);
    expect(checkRig({ enabled: false, requests_per_minute: 1 }).check.admit).toBeUndefined();
  });
});
