import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedisSessionStore } from '../../../src/checks/session/redis-store.ts';
import type { RedisSessionStoreOptions } from '../../../src/checks/session/redis-store.ts';
import type { SessionStore } from '../../../src/checks/session/store.ts';
import type { RedisClient } from '../../../src/redis/client.ts';
import {
  driftKey,
  loopKey,
  operationKey,
  riskProfileKey,
  sessionAnchorKey,
  sessionKey,
  sessionsKey,
  spendKey,
} from '../../../src/redis/keys.ts';
import { startTestRedis } from '../../support/redis.ts';
import type { TestRedis } from '../../support/redis.ts';
import { connect } from '../budget/support.ts';
import { call, DAY_MS, newKeyHash, opened, sessionStoreContract } from './contract.ts';

/** The slot of a key as the client library computes it; the package has no types. */
const calculateSlot = createRequire(import.meta.url)('cluster-key-slot') as (key: string) => number;

let redis: TestRedis;
let client: RedisClient;

beforeAll(async () => {
  redis = await startTestRedis();
  client = await connect(redis.addr);
});
afterAll(async () => {
  client.disconnect();
  await redis.close();
});

function sessionStore(more: Partial<RedisSessionStoreOptions> = {}): SessionStore {
  return createRedisSessionStore({ client, deadlineMs: 2_500, ttlMs: DAY_MS, maxPerKey: 0, ...more });
}

const sessionCount = async (keyHash: string): Promise<number> =>
  Number((await redis.client.hget(riskProfileKey(keyHash), 'session_count')) ?? 0);

describe('sessions in Redis', () => {
  sessionStoreContract((options) => ({
    store: sessionStore(options),
    async spend({ keyHash, sessionId }, nanoUsd) {
      await redis.client.hset(
        spendKey(keyHash, `session:${sessionId}`),
        'session:start',
        '1',
        'session:spent',
        nanoUsd,
        'session:reserved',
        '0',
      );
    },
    wait: (ms) => delay(ms),
  }));
});

describe('with two gateways', () => {
  it('exactly 10 of 200 parallel calls take a step, and 10 of 200 new sessions are opened', async () => {
    const second = await connect(redis.addr);
    const stores = [sessionStore({ maxPerKey: 10 }), sessionStore({ client: second, maxPerKey: 10 })];
    const at = (nth: number): SessionStore => stores[nth % 2] ?? sessionStore();
    const one = { keyHash: newKeyHash(), sessionId: 'one' };
    const steps = await Promise.all(
      Array.from({ length: 200 }, (_, nth) => at(nth).open(call(one, { maxSteps: 10 }))),
    );
    expect(steps.filter(({ kind }) => kind === 'opened')).toHaveLength(10);
    const keyHash = newKeyHash();
    const sessions = await Promise.all(
      Array.from({ length: 200 }, (_, nth) => at(nth).open(call({ keyHash, sessionId: String(nth) }))),
    );
    expect(sessions.filter(({ kind }) => kind === 'opened')).toHaveLength(10);
    expect(await sessionCount(keyHash)).toBe(10);
    second.disconnect();
  });
});

describe('the count of sessions in the risk profile', () => {
  it('rises with each new session, and falls with one that was never used', async () => {
    const store = sessionStore();
    const keyHash = newKeyHash();
    const name = { keyHash, sessionId: 'one' };
    await Promise.all(Array.from({ length: 20 }, () => store.open(call(name))));
    expect(await sessionCount(keyHash)).toBe(1);
    const unused = call({ keyHash, sessionId: 'two' });
    await store.open(unused);
    expect(await sessionCount(keyHash)).toBe(2);
    await store.leave(unused, undefined);
    expect(await sessionCount(keyHash)).toBe(1);
    await store.end(name);
    await store.open(call(name));
    expect(await sessionCount(keyHash)).toBe(2);
  });

  it('never falls below zero, whoever reset it', async () => {
    const store = sessionStore();
    const step = call({ keyHash: newKeyHash(), sessionId: 'one' });
    const { createdAt } = opened(await store.open(step));
    await redis.client.del(riskProfileKey(step.keyHash));
    await store.leave(step, createdAt);
    expect(await sessionCount(step.keyHash)).toBe(0);
  });
});

describe('keys', () => {
  it('all have a life, which use puts off; the anchor stands under its own name', async () => {
    const store = sessionStore({ ttlMs: 60_000 });
    const name = { keyHash: newKeyHash(), sessionId: 'a.b:c_d-e' };
    const { createdAt } = opened(await store.open(call(name)));
    await store.writeAnchor(name, createdAt, 'the first request');
    const anchor = `gateway:session:${name.keyHash}:a.b:c_d-e:anchor`;
    expect(await redis.client.get(anchor)).toBe('the first request');
    const purse = spendKey(name.keyHash, `session:${name.sessionId}`);
    await redis.client.hset(purse, 'session:spent', '5');
    const keys = [anchor, purse, sessionKey(name.keyHash, name.sessionId), sessionsKey(name.keyHash)];
    for (const key of keys) await redis.client.pexpire(key, 1_000);
    await store.open(call(name));
    for (const key of keys) expect(await redis.client.pttl(key)).toBeGreaterThan(59_000);
  });

  it('of a session keep to the slot of the risk profile', () => {
    const keyHash = newKeyHash();
    const keys = [
      sessionKey(keyHash, 'one'),
      sessionsKey(keyHash),
      operationKey(keyHash, 'op'),
      spendKey(keyHash, 'session:one'),
      loopKey(keyHash, 'one'),
      driftKey(keyHash, 'one'),
    ];
    const slot = calculateSlot(riskProfileKey(keyHash));
    expect(keys.map((key) => calculateSlot(key))).toEqual(keys.map(() => slot));
    expect(calculateSlot(sessionAnchorKey(keyHash, 'one'))).not.toBe(slot);
  });

  it('of operations are short-lived', async () => {
    const store = sessionStore();
    const step = call({ keyHash: newKeyHash(), sessionId: 'one' });
    await store.open(step);
    const key = operationKey(step.keyHash, step.operationId);
    expect(await redis.client.pttl(key)).toBeLessThanOrEqual(60_000);
    await store.leave(step, undefined);
    expect(await redis.client.pttl(key)).toBeLessThanOrEqual(300_000);
  });

  it('of the index are the 10,000 newest', async () => {
    const store = sessionStore();
    const keyHash = newKeyHash();
    const members = Array.from({ length: 10_000 }, (_, nth) => [Date.now() - 1_000, `old-${String(nth)}`]);
    await redis.client.zadd(sessionsKey(keyHash), ...members.flat());
    await store.open(call({ keyHash, sessionId: 'newest' }));
    expect(await redis.client.zcard(sessionsKey(keyHash))).toBe(10_000);
    expect((await store.list(keyHash)).map(({ id }) => id)).toEqual(['newest']);
  });

  it('are all gone once a session was ended, those of loop and drift too', async () => {
    const store = sessionStore();
    const name = { keyHash: newKeyHash(), sessionId: 'one' };
    const step = call(name);
    const { createdAt } = opened(await store.open(step));
    await store.writeAnchor(name, createdAt, 'the first request');
    const loops = ['one', 'one/tools'].map((calls) => loopKey(name.keyHash, calls));
    for (const key of [...loops, driftKey(name.keyHash, 'one')]) {
      await redis.client.hset(key, 'x', 'y');
    }
    await redis.client.hset(spendKey(name.keyHash, 'session:one'), 'session:spent', '5');
    await store.end(name);
    expect((await redis.client.keys(`*${name.keyHash}*`)).sort()).toEqual([
      operationKey(name.keyHash, step.operationId),
      riskProfileKey(name.keyHash),
    ]);
  });
});

describe('a damaged session', () => {
  it('refuses, for reading it as no limit would open the gate', async () => {
    const store = sessionStore();
    const name = { keyHash: newKeyHash(), sessionId: 'one' };
    await store.open(call(name, { budgetNanoUsd: 5 }));
    await redis.client.hset(sessionKey(name.keyHash, 'one'), 'budget', 'much');
    await expect(store.open(call(name))).rejects.toMatchObject({ type: 'redis_unavailable' });
  });

  it('of another type is an answer of Redis like any other failure', async () => {
    const name = { keyHash: newKeyHash(), sessionId: 'one' };
    await redis.client.set(sessionKey(name.keyHash, 'one'), 'x');
    await expect(sessionStore().open(call(name))).rejects.toMatchObject({ type: 'redis_unavailable' });
  });
});
