import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryLoopStore } from '../../../src/checks/loop/memory-store.ts';
import { createRedisLoopStore } from '../../../src/checks/loop/redis-store.ts';
import { toolCallsOf, type SessionName } from '../../../src/pipeline/session-turn.ts';
import type { ArrivalLimit, LoopStore } from '../../../src/checks/loop/store.ts';
import type { RedisClient } from '../../../src/redis/client.ts';
import { loopKey, sessionKey } from '../../../src/redis/keys.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { connect, newKeyHash } from '../budget/support.ts';

const MEMORY = { keepMs: 60_000, maxCalls: 5 };
const RPS: ArrivalLimit = { name: 'rps', windowMs: 1_000, limit: 3 };
const REPEATS: ArrivalLimit = { name: 'repeats/00ff', windowMs: 60_000, limit: 1 };

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

const newSession = (): SessionName => ({ keyHash: newKeyHash(), sessionId: 'a.b:c-d' });
const call = (low: number) => ({ high: 0xffffffff, low });

describe.each<[string, (now: () => number) => LoopStore]>([
  ['in Redis', (now) => createRedisLoopStore({ client, deadlineMs: 2_500, now })],
  ['in memory', (now) => createMemoryLoopStore(now)],
])('recent calls %s', (_where, storeAt) => {
  function rig() {
    const clock = { now: Date.now() };
    return { clock, store: storeAt(() => clock.now), session: newSession() };
  }

  it('are none in a new session', async () => {
    const { store, session } = rig();
    expect(await store.readCalls(session, MEMORY)).toEqual([]);
  });

  it('come newest first, with their age and all 64 bits', async () => {
    const { clock, store, session } = rig();
    for (const low of [1, 0xfffffffe, 3]) {
      await store.joinCall(session, randomUUID(), call(low), MEMORY);
      clock.now += 1_000;
    }
    expect(await store.readCalls(session, MEMORY)).toEqual([
      { ageMs: 1_000, fingerprint: call(3) },
      { ageMs: 2_000, fingerprint: call(0xfffffffe) },
      { ageMs: 3_000, fingerprint: call(1) },
    ]);
  });

  it('join once however often the command is repeated', async () => {
    const { clock, store, session } = rig();
    const operationId = randomUUID();
    for (let nth = 0; nth < 3; nth++) {
      await store.joinCall(session, operationId, call(1), MEMORY);
      clock.now += 10;
    }
    expect(await store.readCalls(session, MEMORY)).toEqual([{ ageMs: 30, fingerprint: call(1) }]);
  });

  it('are as many as are kept, and as young', async () => {
    const { clock, store, session } = rig();
    for (let low = 0; low < 9; low++) {
      await store.joinCall(session, randomUUID(), call(low), MEMORY);
      clock.now += 1_000;
    }
    const kept = await store.readCalls(session, MEMORY);
    expect(kept.map(({ fingerprint }) => fingerprint.low)).toEqual([8, 7, 6, 5, 4]);
    clock.now += 57_000;
    expect(await store.readCalls(session, MEMORY)).toHaveLength(2);
    clock.now += 2_000;
    expect(await store.readCalls(session, MEMORY)).toEqual([]);
  });

  it('belong to their session and key', async () => {
    const { store, session } = rig();
    await store.joinCall(session, randomUUID(), call(1), MEMORY);
    expect(await store.readCalls({ ...session, sessionId: 'other' }, MEMORY)).toEqual([]);
    expect(await store.readCalls({ ...session, keyHash: newKeyHash() }, MEMORY)).toEqual([]);
  });

  it('exceed a limit with the call after it, over a sliding window', async () => {
    const { clock, store, session } = rig();
    const seen: boolean[] = [];
    for (let nth = 0; nth < 5; nth++) {
      seen.push(...(await store.countArrival(session, randomUUID(), [RPS], false)));
      clock.now += 100;
    }
    expect(seen).toEqual([false, false, false, true, true]);
    clock.now += 900;
    expect(await store.countArrival(session, randomUUID(), [RPS], false)).toEqual([false]);
  });

  it('are counted for each limit apart, once for each operation', async () => {
    const { store, session } = rig();
    const operationId = randomUUID();
    for (let nth = 0; nth < 5; nth++) {
      expect(await store.countArrival(session, operationId, [RPS, REPEATS], false)).toEqual([false, false]);
    }
    expect(await store.countArrival(session, randomUUID(), [RPS, REPEATS], false)).toEqual([false, true]);
    const other = { ...REPEATS, name: 'repeats/1234' };
    expect(await store.countArrival(session, randomUUID(), [RPS, other], false)).toEqual([false, false]);
  });

  it('that are denied over a limit are not counted, so that those let through stay counted', async () => {
    const { store, session } = rig();
    const count = (operationId = randomUUID()) =>
      store.countArrival(session, operationId, [REPEATS, RPS], true);
    expect(await count()).toEqual([false, false]);
    const denied = Array.from({ length: 20 }, () => randomUUID());
    for (const operationId of denied) expect(await count(operationId)).toEqual([true, false]);
    for (const operationId of denied) await store.giveBack(session, operationId, [REPEATS, RPS]);
    expect(await count()).toEqual([true, false]);
    const twice = await Promise.all(
      [RPS, RPS, RPS].map((limit) => store.countArrival(session, randomUUID(), [limit], true)),
    );
    expect(twice).toEqual([[false], [false], [true]]);
  });

  it('can be given back, also more than once', async () => {
    const { store, session } = rig();
    const operationId = randomUUID();
    await store.countArrival(session, operationId, [REPEATS], false);
    await store.giveBack(session, operationId, [REPEATS]);
    await store.giveBack(session, operationId, [REPEATS]);
    expect(await store.countArrival(session, randomUUID(), [REPEATS], false)).toEqual([false]);
    expect(await store.countArrival(session, randomUUID(), [REPEATS], false)).toEqual([true]);
  });
});

describe('recent calls in Redis', () => {
  const store = (deadlineMs = 2_500): LoopStore => createRedisLoopStore({ client, deadlineMs });

  it('leave nothing behind when their time is over, and never more than is kept', async () => {
    const session = newSession();
    for (let low = 0; low < 12; low++) await store().joinCall(session, randomUUID(), call(low), MEMORY);
    for (let nth = 0; nth < 9; nth++)
      await store().countArrival(session, randomUUID(), [RPS, REPEATS], false);
    const keys = ['', '/rps', '/repeats/00ff'].map((name) =>
      loopKey(session.keyHash, session.sessionId + name),
    );
    const sizes = await Promise.all(keys.map((key) => client.zcard(key)));
    expect(sizes).toEqual([5, 4, 2]);
    const lives = await Promise.all(keys.map((key) => client.pttl(key)));
    expect(lives.map((ttlMs, index) => ttlMs > 0 && ttlMs <= ([60_000, 1_000, 60_000][index] ?? 0))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('are kept no longer than their session is going to live', async () => {
    const session = newSession();
    const hash = sessionKey(session.keyHash, session.sessionId);
    const long = { ...REPEATS, windowMs: 3_600_000 };
    const remember = async (): Promise<number[]> => {
      await store().joinCall(session, 'one', call(1), { ...MEMORY, keepMs: 3_600_000 });
      await store().joinCall(toolCallsOf(session), 'one', call(1), { ...MEMORY, keepMs: 3_600_000 });
      await store().countArrival(session, 'one', [long], true);
      const names = ['', '/tools', '/repeats/00ff'];
      return Promise.all(
        names.map((name) => client.pttl(loopKey(session.keyHash, session.sessionId + name))),
      );
    };
    await client.hset(hash, 'created', '1');
    await client.pexpire(hash, 600_000);
    for (const ttlMs of await remember()) expect(ttlMs > 590_000 && ttlMs <= 600_000).toBe(true);
    await client.pexpire(hash, 86_400_000);
    for (const ttlMs of await remember()) expect(ttlMs > 3_590_000 && ttlMs <= 3_600_000).toBe(true);
  });

  it('exceed a limit of 20 in exactly 180 of 200 parallel calls from two gateways', async () => {
    const second = await connect(redis.addr);
    const stores = [store(), createRedisLoopStore({ client: second, deadlineMs: 2_500 })] as const;
    const session = newSession();
    const limit = { ...REPEATS, limit: 20 };
    const seen = await Promise.all(
      Array.from({ length: 200 }, (_, nth) =>
        stores[nth % 2 === 0 ? 0 : 1].countArrival(session, randomUUID(), [limit], nth < 100),
      ),
    );
    second.disconnect();
    expect(seen.filter(([exceeded]) => exceeded === false)).toHaveLength(20);
  });

  it('are redis_unavailable while Redis is frozen', async () => {
    const session = newSession();
    await redis.pause();
    try {
      const unavailable = { type: 'redis_unavailable' };
      await expect(store(100).readCalls(session, MEMORY)).rejects.toMatchObject(unavailable);
      await expect(store(100).joinCall(session, 'id', call(1), MEMORY)).rejects.toMatchObject(unavailable);
      await expect(store(100).countArrival(session, 'id', [RPS], false)).rejects.toMatchObject(unavailable);
    } finally {
      await redis.resume();
    }
  });
});
