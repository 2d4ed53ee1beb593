import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMemoryLoopStore } from '../../../../src/checks/loop/memory-store.ts';
import { createRedisLoopStore } from '../../../../src/checks/loop/redis-store.ts';
import { createRedisSessionStore } from '../../../../src/checks/session/redis-store.ts';
import { toolCallsOf, type SessionName } from '../../../../src/conversation/session-name.ts';
import type { ArrivalLimit, LoopStore } from '../../../../src/checks/loop/store.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import { loopKey } from '../../../../src/redis/keys.ts';
import type { TestRedis } from '../../../support/redis.ts';
import { connect, useRedis, newKeyHash } from '../budget/support.ts';

const MEMORY = { keepMs: 60_000, maxCalls: 5 };
const RPS: ArrivalLimit = { name: 'rps', windowMs: 1_000, limit: 3 };
const REPEATS: ArrivalLimit = { name: 'repeats/00ff', windowMs: 60_000, limit: 1 };

let redis: TestRedis;
let client: RedisClient;
useRedis((started) => ({ redis, client } = started));

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

  it('are empty in a new session', async () => {
    const { store, session } = rig();
    expect((await store.readCalls(session, MEMORY)).calls).toEqual([]);
  });

  it('are returned newest first, with their age and all 64 bits', async () => {
    const { clock, store, session } = rig();
    for (const low of [1, 0xfffffffe, 3]) {
      await store.recordCall(session, randomUUID(), call(low), MEMORY);
      clock.now += 1_000;
    }
    expect((await store.readCalls(session, MEMORY)).calls).toEqual([
      { ageMs: 1_000, fingerprint: call(3) },
      { ageMs: 2_000, fingerprint: call(0xfffffffe) },
      { ageMs: 3_000, fingerprint: call(1) },
    ]);
  });

  it('are dropped if they are later than now, from before the clock went back', async () => {
    const { clock, store, session } = rig();
    await store.recordCall(session, randomUUID(), call(1), MEMORY);
    clock.now -= 3_600_000;
    await store.recordCall(session, randomUUID(), call(2), MEMORY);
    clock.now += 1_000;
    expect((await store.readCalls(session, MEMORY)).calls).toEqual([{ ageMs: 1_000, fingerprint: call(2) }]);
  });

  it('are unchanged until another one is added, or they expire', async () => {
    const { clock, store, session } = rig();
    const none = await store.readCalls(session, MEMORY);
    expect(none).toEqual({ calls: [], last: '' });
    expect(await store.areSame(session, none.last)).toBe(true);
    const operations = [randomUUID(), randomUUID()];
    for (const operationId of operations) {
      const before = await store.readCalls(session, MEMORY);
      await store.recordCall(session, operationId, call(1), MEMORY);
      expect(await store.areSame(session, before.last)).toBe(false);
    }
    const ahead = await store.readCalls(session, MEMORY);
    expect(ahead).toEqual(await store.readCalls(session, MEMORY));
    await store.recordCall(session, operations[1] ?? '', call(1), MEMORY);
    clock.now += 1;
    expect(await store.areSame(session, ahead.last)).toBe(true);
    expect(await store.areSame(newSession(), ahead.last)).toBe(false);
  });

  it('are added once however often the command is repeated', async () => {
    const { clock, store, session } = rig();
    const operationId = randomUUID();
    for (let nth = 0; nth < 3; nth++) {
      await store.recordCall(session, operationId, call(1), MEMORY);
      clock.now += 10;
    }
    expect((await store.readCalls(session, MEMORY)).calls).toEqual([{ ageMs: 30, fingerprint: call(1) }]);
  });

  it('are limited in number and age', async () => {
    const { clock, store, session } = rig();
    for (let low = 0; low < 9; low++) {
      await store.recordCall(session, randomUUID(), call(low), MEMORY);
      clock.now += 1_000;
    }
    const { calls: kept } = await store.readCalls(session, MEMORY);
    expect(kept.map(({ fingerprint }) => fingerprint.low)).toEqual([8, 7, 6, 5, 4]);
    clock.now += 57_000;
    expect((await store.readCalls(session, MEMORY)).calls).toHaveLength(2);
    clock.now += 2_000;
    expect((await store.readCalls(session, MEMORY)).calls).toEqual([]);
  });

  it('belong to their session and key', async () => {
    const { store, session } = rig();
    await store.recordCall(session, randomUUID(), call(1), MEMORY);
    expect((await store.readCalls({ ...session, sessionId: 'other' }, MEMORY)).calls).toEqual([]);
    expect((await store.readCalls({ ...session, keyHash: newKeyHash() }, MEMORY)).calls).toEqual([]);
  });

  it('exceed a limit with the next call, over a sliding window', async () => {
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

  it('are counted for each limit separately, once for each operation', async () => {
    const { store, session } = rig();
    const operationId = randomUUID();
    for (let nth = 0; nth < 5; nth++) {
      expect(await store.countArrival(session, operationId, [RPS, REPEATS], false)).toEqual([false, false]);
    }
    expect(await store.countArrival(session, randomUUID(), [RPS, REPEATS], false)).toEqual([false, true]);
    const other = { ...REPEATS, name: 'repeats/1234' };
    expect(await store.countArrival(session, randomUUID(), [RPS, other], false)).toEqual([false, false]);
  });

  it('are counted for each of 40 limits separately, low ones and a high one', async () => {
    const { clock, store, session } = rig();
    const limits = Array.from({ length: 40 }, (_, nth) => ({
      ...REPEATS,
      name: `repeats/${String(nth)}`,
      limit: nth === 7 ? 100 : 1,
    }));
    async function each(operationId: string) {
      const seen: (boolean | undefined)[] = [];
      for (const limit of limits)
        seen.push((await store.countArrival(session, operationId, [limit], true))[0]);
      return seen;
    }
    const over = limits.map(({ limit }) => limit === 1);
    expect(await each('one')).toEqual(limits.map(() => false));
    expect(await each('one')).toEqual(limits.map(() => false));
    expect(await each('two')).toEqual(over);
    await store.giveBack(session, 'one', limits);
    expect(await each('three')).toEqual(limits.map(() => false));
    expect(await each('four')).toEqual(over);
    clock.now += REPEATS.windowMs;
    expect(await each('five')).toEqual(limits.map(() => false));
    for (let nth = 2; nth < 103; nth++) {
      const found = await store.countArrival(session, `n${String(nth)}`, limits.slice(7, 8), true);
      expect([nth, ...found]).toEqual([nth, nth > 100]);
    }
  });

  it('of a high limit are counted once each, can be returned, and leave their window, few or many', async () => {
    const { clock, store, session } = rig();
    const high = { ...REPEATS, name: 'repeats/high', limit: 100 };
    const count = async (operationId: string) =>
      (await store.countArrival(session, operationId, [RPS, high], false))[1];
    const ids = Array.from({ length: 100 }, () => randomUUID());
    for (const [nth, id] of ids.entries()) {
      if (nth === 50) clock.now += 30_000;
      expect(await count(id)).toBe(false);
    }
    for (const id of ids) expect(await count(id)).toBe(false);
    expect(await count(randomUUID())).toBe(true);
    for (const id of [ids[3], ids[97]]) await store.giveBack(session, id ?? '', [RPS, high]);
    expect(await count(randomUUID())).toBe(false);
    expect(await count(randomUUID())).toBe(true);
    clock.now += 30_000;
    for (let nth = 0; nth < 48; nth++) expect([nth, await count(randomUUID())]).toEqual([nth, false]);
    expect(await count(randomUUID())).toBe(true);
  });

  it('denied over a limit are not counted, so admitted ones stay counted', async () => {
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

  it('do not count if they are later than now, from before the clock went back, denied or not', async () => {
    const many = { name: 'repeats/many', windowMs: 60_000, limit: 70 };
    const { clock, store, session } = rig();
    for (let nth = 0; nth < 100; nth++)
      await store.countArrival(session, randomUUID(), [RPS, REPEATS, many], false);
    expect(await store.countArrival(session, randomUUID(), [RPS, REPEATS, many], true)).toEqual([
      true,
      true,
      true,
    ]);
    clock.now -= 3_600_000;
    const seen: boolean[][] = [];
    for (let nth = 0; nth < 2; nth++)
      seen.push([...(await store.countArrival(session, randomUUID(), [RPS, REPEATS, many], true))]);
    expect(seen).toEqual([
      [false, false, false],
      [false, true, false],
    ]);
    clock.now += 60_000;
    expect(await store.countArrival(session, randomUUID(), [RPS, REPEATS, many], true)).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('can be returned, also more than once', async () => {
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

  it('leave nothing behind after their time, and are bounded', async () => {
    const session = newSession();
    const of = (name: string): string => loopKey(session.keyHash, session.sessionId + name);
    const many = { name: 'repeats/many', windowMs: 60_000, limit: 70 };
    async function arrive(times: number): Promise<void> {
      for (let nth = 0; nth < times; nth++)
        await store().countArrival(session, randomUUID(), [RPS, REPEATS, many], false);
    }
    for (let low = 0; low < 12; low++) await store().recordCall(session, randomUUID(), call(low), MEMORY);
    expect((await store().readCalls(session, MEMORY)).calls).toHaveLength(MEMORY.maxCalls);
    await arrive(5);
    const bytes = await client.strlen(of('/arrivals'));
    await arrive(70);
    expect(await client.strlen(of('/arrivals'))).toBeLessThan(bytes);
    expect(await client.zcard(of('/repeats/many'))).toBe(71);
    expect(await client.exists(of('/rps'), of('/repeats/00ff'))).toBe(0);
    for (const key of [of(''), of('/repeats/many'), of('/arrivals')]) {
      const ttlMs = await client.pttl(key);
      expect(ttlMs > 0 && ttlMs <= 60_000).toBe(true);
    }
  });

  it('of more than six limits at once are kept in separate sets while they are many', async () => {
    const session = newSession();
    const clock = { now: Date.now() };
    const timed = createRedisLoopStore({ client, deadlineMs: 2_500, now: () => clock.now });
    async function arrive(from: number, to: number): Promise<void> {
      for (let nth = from; nth < to; nth++) {
        const limit = { ...REPEATS, name: `repeats/${String(nth).padStart(3, '0')}` };
        await timed.countArrival(session, randomUUID(), [limit], true);
      }
    }
    const keys = async (): Promise<number> => (await client.keys(`*${session.keyHash}*`)).length;
    const packed = loopKey(session.keyHash, `${session.sessionId}/arrivals`);
    await arrive(0, 6);
    const bytes = await client.strlen(packed);
    await arrive(6, 50);
    expect(await client.strlen(packed)).toBe(bytes);
    expect(await keys()).toBe(1 + 44);
    clock.now += REPEATS.windowMs;
    await arrive(100, 103);
    expect(await keys()).toBe(1 + 44);
    expect(await client.strlen(packed)).toBeLessThan(bytes);
  });

  it('are added again if so many followed that the operation was dropped, and are still bounded', async () => {
    const session = newSession();
    const join = (operationId: string) => store().recordCall(session, operationId, call(1), MEMORY);
    const all = { ...MEMORY, maxCalls: 1_000 };
    await join('first');
    for (let nth = 0; nth < 15; nth++) await join(randomUUID());
    await join('first');
    expect((await store().readCalls(session, all)).calls).toHaveLength(16);
    for (let nth = 0; nth < 200; nth++) await join(randomUUID());
    const kept = (await store().readCalls(session, all)).calls.length;
    expect(kept).toBeGreaterThanOrEqual(MEMORY.maxCalls);
    expect(kept).toBeLessThanOrEqual(MEMORY.maxCalls + 64);
  });

  it('are kept no longer than their session will live', async () => {
    const session = newSession();
    const sessions = createRedisSessionStore({ client, deadlineMs: 2_500, ttlMs: 86_400_000, maxPerKey: 0 });
    const long = { ...REPEATS, windowMs: 3_600_000 };
    const others = Array.from({ length: 6 }, (_, nth) => ({ ...long, name: `repeats/${String(nth)}` }));
    async function remember(): Promise<number[]> {
      await store().recordCall(session, 'one', call(1), { ...MEMORY, keepMs: 3_600_000 });
      await store().recordCall(toolCallsOf(session), 'one', call(1), { ...MEMORY, keepMs: 3_600_000 });
      await store().countArrival(session, 'one', [long, ...others], true);
      const names = ['', '/tools', '/arrivals', '/repeats/5'];
      return Promise.all(
        names.map((name) => client.pttl(loopKey(session.keyHash, session.sessionId + name))),
      );
    }
    const step = { ...session, operationId: 'step', maxSteps: undefined, budgetNanoUsd: undefined };
    const opened = await sessions.open(step);
    if (opened.kind !== 'opened') throw new Error(opened.kind);
    for (const ttlMs of await remember()) expect(ttlMs > 590_000 && ttlMs <= 600_000).toBe(true);
    await sessions.noteAnswered(session, opened.session.createdAt, undefined);
    for (const ttlMs of await remember()) expect(ttlMs > 3_590_000 && ttlMs <= 3_600_000).toBe(true);
    expect(await sessions.read(session)).toMatchObject({ callsInFlight: 1, session: { steps: 1 } });
  });

  it('stay as long as their session is used, and are removed with it', async () => {
    const session = newSession();
    const sessions = createRedisSessionStore({ client, deadlineMs: 2_500, ttlMs: 86_400_000, maxPerKey: 0 });
    const arrive = () => store().countArrival(session, randomUUID(), [REPEATS], true);
    async function open(operationId: string): Promise<number> {
      const step = { ...session, operationId, maxSteps: undefined, budgetNanoUsd: undefined };
      const opened = await sessions.open(step);
      if (opened.kind !== 'opened') throw new Error(opened.kind);
      await sessions.noteAnswered(session, opened.session.createdAt, undefined);
      await sessions.addTaint(step, 'a');
      await sessions.finish(step, opened.session.createdAt);
      return opened.session.steps;
    }
    expect(await open('one')).toBe(1);
    expect(await arrive()).toEqual([false]);
    expect(await open('two')).toBe(2);
    expect(await arrive()).toEqual([true]);
    expect(await sessions.peek(session)).toMatchObject({ steps: 2, taintFlags: ['a'] });
    await sessions.end(session);
    expect(await arrive()).toEqual([false]);
    expect(await sessions.peek(session)).toBeUndefined();
    expect(await open('three')).toBe(1);
  });

  it.each<[string, (stored: string) => string]>([
    ['cut off', (stored) => stored.slice(0, -1)],
    ['of something else', (stored) => `${stored.slice(0, 3)}x${stored.slice(4)}`],
  ])('are rejected if they are %s', async (_how, damage) => {
    const session = newSession();
    const key = loopKey(session.keyHash, session.sessionId);
    await store().recordCall(session, randomUUID(), call(1), MEMORY);
    await client.set(key, damage((await client.get(key)) ?? ''));
    await expect(store().readCalls(session, MEMORY)).rejects.toMatchObject({ type: 'redis_unavailable' });
  });

  it('are left alone if they are of another version', async () => {
    const session = newSession();
    const record = () => store().recordCall(session, randomUUID(), call(1), MEMORY);
    const key = loopKey(session.keyHash, session.sessionId);
    await record();
    const other = `2${(await client.get(key))?.slice(1) ?? ''}`;
    await client.set(key, other);
    const unknown = { type: 'stored_form_unknown', cause: { form: 'calls', version: '2' } };
    await expect(store().readCalls(session, MEMORY)).rejects.toMatchObject(unknown);
    await expect(record()).rejects.toMatchObject(unknown);
    expect(await client.get(key)).toBe(other);
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
      await expect(store(100).recordCall(session, 'id', call(1), MEMORY)).rejects.toMatchObject(unavailable);
      await expect(store(100).countArrival(session, 'id', [RPS], false)).rejects.toMatchObject(unavailable);
    } finally {
      await redis.resume();
    }
  });
});
