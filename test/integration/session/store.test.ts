import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedisSessionStore } from '../../../src/checks/session/redis-store.ts';
import type { RedisSessionStoreOptions } from '../../../src/checks/session/redis-store.ts';
import { CALL_LEASE_MS, MAX_LIVE_SESSIONS } from '../../../src/checks/session/store.ts';
import { UNANSWERED_LIFE_MS } from '../../../src/pipeline/session-turn.ts';
import type { SessionStore } from '../../../src/checks/session/store.ts';
import type { RedisClient } from '../../../src/redis/client.ts';
import {
  driftKey,
  leftStepsKey,
  loopKey,
  operationKey,
  riskProfileKey,
  sessionAnchorKey,
  sessionCallsKey,
  sessionKey,
  sessionsKey,
  spendKey,
} from '../../../src/redis/keys.ts';
import { startTestRedis } from '../../support/redis.ts';
import type { TestRedis } from '../../support/redis.ts';
import { spendInSession } from '../../support/session-spend.ts';
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
    spend: (name, nanoUsd) => spendInSession(client, name, nanoUsd),
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
    await store.noteAnswered(name, createdAt, 'the first request');
    const anchor = `gateway:session:${name.keyHash}:a.b:c_d-e:anchor`;
    expect(await redis.client.get(anchor)).toBe('the first request');
    const purse = spendKey(name.keyHash, `session:${name.sessionId}`);
    await spendInSession(client, name, 5);
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
      sessionCallsKey(keyHash, 'one'),
      leftStepsKey(keyHash),
      spendKey(keyHash, 'session:one'),
      loopKey(keyHash, 'one'),
      driftKey(keyHash, 'one'),
    ];
    const slot = calculateSlot(riskProfileKey(keyHash));
    expect(keys.map((key) => calculateSlot(key))).toEqual(keys.map(() => slot));
    expect(calculateSlot(sessionAnchorKey(keyHash, 'one'))).not.toBe(slot);
  });

  it('of steps that were given back are one, short-lived and bounded', async () => {
    const store = sessionStore();
    const keyHash = newKeyHash();
    const key = leftStepsKey(keyHash);
    const many = Array.from({ length: 10_000 }, (_, nth) => [Date.now() + nth, `later-${String(nth)}`]);
    await redis.client.zadd(key, ...many.flat());
    for (let nth = 0; nth < 3; nth++) await store.leave(call({ keyHash, sessionId: 'one' }), undefined);
    expect(await redis.client.zcard(key)).toBe(10_000);
    expect(await redis.client.pttl(key)).toBeLessThanOrEqual(300_000);
    expect(await redis.client.keys(`*${keyHash}*`)).toEqual([key]);
  });

  it('of a session without an answer go within ten minutes, and with one live for its life', async () => {
    const store = sessionStore();
    const name = { keyHash: newKeyHash(), sessionId: 'one' };
    const step = call(name, { budgetNanoUsd: 5 });
    const { createdAt } = opened(await store.open(step));
    await store.finish(step, createdAt);
    const ofSession = async (): Promise<string[]> =>
      (await redis.client.keys(`*${name.keyHash}*`)).filter((key) => key !== riskProfileKey(name.keyHash));
    const lives = async () => Promise.all((await ofSession()).map((key) => redis.client.pttl(key)));
    expect((await ofSession()).sort()).toEqual(
      [
        sessionKey(name.keyHash, 'one'),
        sessionsKey(name.keyHash),
        spendKey(name.keyHash, 'session:one'),
      ].sort(),
    );
    const index = await redis.client.zscore(sessionsKey(name.keyHash), 'one');
    expect(Number(index) - createdAt).toBeLessThanOrEqual(UNANSWERED_LIFE_MS + 5_000);
    await redis.client.pexpire(sessionsKey(name.keyHash), UNANSWERED_LIFE_MS); // an index may outlive its sessions
    for (const life of await lives()) {
      expect(life).toBeGreaterThan(0);
      expect(life).toBeLessThanOrEqual(UNANSWERED_LIFE_MS);
    }
    await store.noteAnswered(name, createdAt, 'the first request');
    expect(await ofSession()).toContain(sessionAnchorKey(name.keyHash, 'one'));
    for (const life of await lives()) expect(life).toBeGreaterThan(DAY_MS - 60_000);
  });

  it('of one that makes room all go with it, its anchor too', async () => {
    const store = sessionStore({ maxLive: 1 });
    const keyHash = newKeyHash();
    const step = call({ keyHash, sessionId: 'a.b:c_d-e' });
    const { createdAt } = opened(await store.open(step));
    await store.noteAnswered(step, createdAt, 'the first request');
    for (const id of ['a.b:c_d-e', 'a.b:c_d-e/tools', 'a.b:c_d-e/rps']) {
      await redis.client.zadd(loopKey(keyHash, id), 1, 'x');
    }
    await redis.client.hset(driftKey(keyHash, step.sessionId), 'x', 'y');
    await spendInSession(client, step, 5);
    await store.finish(step, createdAt);
    await store.open(call({ keyHash, sessionId: 'next' }));
    expect((await redis.client.keys(`*${keyHash}*`)).filter((key) => key.includes('a.b:c'))).toEqual([]);
  });

  it('beyond the bound, of a time when there was none, go a few with each new session', async () => {
    const keyHash = newKeyHash();
    const many = sessionStore();
    for (let nth = 0; nth < 30; nth++) {
      const step = call({ keyHash, sessionId: `s${String(nth)}` });
      await many.finish(step, opened(await many.open(step)).createdAt);
    }
    const store = sessionStore({ maxLive: 3 });
    for (let nth = 0; nth < 5; nth++) {
      const step = call({ keyHash, sessionId: `t${String(nth)}` });
      await store.finish(step, opened(await store.open(step)).createdAt);
    }
    expect((await store.list(keyHash)).map(({ id }) => id).sort()).toEqual(['t2', 't3', 't4']);
  });

  it('left by a gateway that died with calls on their way can go again once their leases are over', async () => {
    let now = 1_800_000_000_000;
    const store = sessionStore({ maxLive: 3, now: () => now });
    const keyHash = newKeyHash();
    for (const sessionId of ['one', 'two', 'three']) await store.open(call({ keyHash, sessionId }));
    const next = () => store.open(call({ keyHash, sessionId: 'next' }));
    now += CALL_LEASE_MS - 1;
    expect(await next()).toMatchObject({ kind: 'too_many_sessions' });
    now += 2;
    expect(await next()).toMatchObject({ kind: 'opened' });
    expect(await redis.client.zcard(sessionsKey(keyHash))).toBe(3);
  });

  it('are all gone once a session was ended, those of loop and drift too', async () => {
    const store = sessionStore();
    const name = { keyHash: newKeyHash(), sessionId: 'one' };
    const step = call(name);
    const { createdAt } = opened(await store.open(step));
    await store.noteAnswered(name, createdAt, 'the first request');
    const loops = ['one', 'one/tools'].map((calls) => loopKey(name.keyHash, calls));
    for (const key of [...loops, driftKey(name.keyHash, 'one')]) {
      await redis.client.hset(key, 'x', 'y');
    }
    await spendInSession(client, name, 5);
    await store.end(name);
    expect(await redis.client.keys(`*${name.keyHash}*`)).toEqual([riskProfileKey(name.keyHash)]);
  });
});

describe('100,000 sessions of one key', () => {
  const SESSIONS = 100_000;
  const AT_ONCE = 500;
  /** Hash, purse and anchor of each, as Redis keeps them, and all that is not a session's. */
  const MAX_BYTES = MAX_LIVE_SESSIONS * 2_048 + 4 * 1024 * 1024;

  async function usedMemory(): Promise<number> {
    return Number(/used_memory:(\d+)/.exec(await redis.client.info('memory'))?.[1]);
  }

  it('fill no more of Redis than 10,000, whether their calls were answered or not', async () => {
    await redis.flush();
    const before = await usedMemory();
    const store = sessionStore();
    const keyHash = newKeyHash();
    /** As `check.ts` makes it. */
    const makeCall = async (answered: boolean): Promise<void> => {
      const step = call({ keyHash, sessionId: randomUUID() }, { budgetNanoUsd: 1_000 });
      const { createdAt } = opened(await store.open(step));
      if (answered) await store.noteAnswered(step, createdAt, 'the first request');
      await store.finish(step, createdAt);
    };
    let most = 0;
    for (let made = 0; made < SESSIONS; made += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => makeCall(nth % 5 === 0)));
      if (made % 10_000 === 0) most = Math.max(most, await redis.client.dbsize());
    }
    const keys = Math.max(most, await redis.client.dbsize());
    expect(await redis.client.zcard(sessionsKey(keyHash))).toBe(MAX_LIVE_SESSIONS);
    // Hash, purse and anchor of each; the index, and the profile.
    expect(keys).toBeLessThanOrEqual(MAX_LIVE_SESSIONS * 3 + 2);
    expect(keys).toBeGreaterThan(MAX_LIVE_SESSIONS);
    expect((await usedMemory()) - before).toBeLessThan(MAX_BYTES);
  }, 300_000);
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
