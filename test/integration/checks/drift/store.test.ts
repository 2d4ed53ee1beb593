import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { DriftState } from '../../../../src/checks/drift/drift.ts';
import { createMemoryDriftStore } from '../../../../src/checks/drift/memory-store.ts';
import { createRedisDriftStore } from '../../../../src/checks/drift/redis-store.ts';
import type { DriftStore, SessionLife } from '../../../../src/checks/drift/store.ts';
import { GatewayError } from '../../../../src/errors.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import { driftKey, riskProfileKey } from '../../../../src/redis/keys.ts';
import { startTestRedis, type TestRedis } from '../../../support/redis.ts';
import { connect, useRedis, newKeyHash } from '../budget/support.ts';
import { slotOf } from '../../../support/redis-cluster.ts';

const TTL_MS = 60_000;
const READ_TIMEOUT_MS = 300;
const CREATED_AT = Date.UTC(2026, 0, 15);

let redis: TestRedis;
let client: RedisClient;
useRedis((started) => ({ redis, client } = started));

const redisStore = (on: RedisClient = client): DriftStore =>
  createRedisDriftStore({ client: on, deadlineMs: 2_500, ttlMs: TTL_MS });

function newSession(): SessionLife {
  return { keyHash: newKeyHash(), sessionId: 's1', createdAt: CREATED_AT };
}

/** `count` n-grams, from `from` on. */
function grams(from: number, count = 20): Uint16Array {
  return Uint16Array.from({ length: count }, (_, index) => from + index);
}

const NONE = new Uint16Array();

describe.each<[string, () => DriftStore]>([
  ['in Redis', () => redisStore()],
  ['in memory', () => createMemoryDriftStore()],
])('a session whose topic is stored %s', (_where, createStore) => {
  function rig() {
    const session = newSession();
    const store = createStore();
    async function read(): Promise<DriftState> {
      const state = await store.read(session);
      if (state === undefined) throw new Error('the session has no state');
      return state;
    }
    return { session, store, read };
  }

  it('has no state before its first turn, and belongs to its key alone', async () => {
    const { session, store } = rig();
    expect(await store.read(session)).toBeUndefined();
    await store.passTurn(session, { digest: 'a', anchor: grams(0) });
    expect(await store.read({ ...session, keyHash: newKeyHash() })).toBeUndefined();
    expect(await store.read({ ...session, sessionId: 's2' })).toBeUndefined();
  });

  it('keeps the answer that comes with the turn if that is the anchor and has more n-grams', async () => {
    const { session, store, read } = rig();
    const first = { digest: 'a', anchor: grams(0) };
    expect(await store.passTurn(session, first, { answer: grams(40, 5) })).toBe(true);
    expect(await read()).toMatchObject({ turnCount: 1, answer: grams(40, 5) });
    expect(await store.isSame(session, await read())).toBe(true);

    expect(await store.passTurn(session, first, { answer: grams(60, 4) })).toBe(true);
    expect((await read()).answer).toEqual(grams(40, 5));
    const asked = await read();
    expect(await store.passTurn(session, first, { answer: grams(60, 6) })).toBe(true);
    expect(await read()).toMatchObject({ turnCount: 1, answer: grams(60, 6) });
    expect(await store.isSame(session, asked)).toBe(false);
    expect(await store.isSame(session, await read())).toBe(true);

    const quicker = { digest: 'b', anchor: grams(100) };
    expect(await store.passTurn(session, quicker, { answer: grams(200, 9) })).toBe(false);
    expect(await read()).toMatchObject({ turnCount: 2, answer: grams(60, 6) });

    const next = { ...session, createdAt: CREATED_AT + 1 };
    expect(await store.passTurn(next, first, { answer: grams(80, 3) })).toBe(true);
    expect(await read()).toMatchObject({ turnCount: 1, answer: grams(80, 3), createdAt: next.createdAt });
  });

  it('is unchanged until a turn passes, its anchor is answered, or the session is replaced', async () => {
    const { session, store, read } = rig();
    expect(await store.isSame(session, undefined)).toBe(true);
    await store.passTurn(session, { digest: 'a', anchor: grams(0) });
    expect(await store.isSame(session, undefined)).toBe(false);
    const asked = await read();
    expect(await store.isSame(session, asked)).toBe(true);
    expect(await store.isSame(newSession(), asked)).toBe(false);
    await store.answerAnchor(session, 'a', grams(40));
    expect(await store.isSame(session, asked)).toBe(false);
    const answered = await read();
    await store.passTurn(session, { digest: 'b', prior: grams(10) });
    expect(await store.isSame(session, answered)).toBe(false);
    const turned = await read();
    await store.passTurn(session, { digest: 'b', prior: grams(10) });
    expect(await store.isSame(session, turned)).toBe(true);
    const next = { ...session, createdAt: CREATED_AT + 1 };
    await store.passTurn(next, { digest: 'a', anchor: grams(0) });
    await store.answerAnchor(next, 'a', grams(40));
    await store.passTurn(next, { digest: 'b', prior: grams(10) });
    expect(await store.isSame(session, turned)).toBe(false);
  });

  it('is anchored by its first turn that can anchor, and by no other', async () => {
    const { session, store, read } = rig();
    expect(await store.passTurn(session, { digest: 'hi' })).toBe(false);
    expect(await store.passTurn(session, { digest: 'a', anchor: grams(0) })).toBe(true);
    expect(await store.passTurn(session, { digest: 'b', anchor: grams(100) })).toBe(false);
    expect(await read()).toEqual({
      createdAt: CREATED_AT,
      turnCount: 3,
      anchor: { digest: 'a', grams: grams(0) },
      answer: NONE,
      widened: NONE,
      prior: grams(0),
      unjudged: [],
      recentDigests: ['hi', 'a', 'b'],
    });
  });

  it('keeps the last turn on its topic, and its n-grams widen the topic', async () => {
    const { session, store, read } = rig();
    await store.passTurn(session, { digest: 'a', anchor: grams(0) });
    await store.passTurn(session, { digest: 'b', prior: grams(10), widen: grams(30) });
    await store.passTurn(session, { digest: 'c', widen: grams(60) });
    await store.passTurn(session, { digest: 'd' });
    expect(await read()).toMatchObject({
      turnCount: 4,
      prior: grams(10),
      widened: Uint16Array.of(...grams(30), ...grams(60)),
    });
  });

  it('keeps short turns unjudged until a turn decides about them', async () => {
    const { session, store, read } = rig();
    await store.passTurn(session, { digest: 'a', anchor: grams(0) });
    await store.passTurn(session, { digest: 'b', unjudged: [grams(10, 5)] });
    await store.passTurn(session, { digest: 'c', unjudged: [grams(10, 5), grams(60, 7)] });
    await store.passTurn(session, { digest: 'd' });
    expect((await read()).unjudged).toEqual([grams(10, 5), grams(60, 7)]);
    await store.passTurn(session, { digest: 'e', prior: grams(10), unjudged: [] });
    expect((await read()).unjudged).toEqual([]);
  });

  it('is widened by at most 128 n-grams, by whole turns', async () => {
    const { session, store, read } = rig();
    await store.passTurn(session, { digest: 'a', anchor: grams(0) });
    await store.passTurn(session, { digest: 'b', widen: grams(1_000, 100) });
    await store.passTurn(session, { digest: 'c', widen: grams(2_000, 29) });
    expect((await read()).widened).toEqual(grams(1_000, 100));
    await store.passTurn(session, { digest: 'd', widen: grams(3_000, 28) });
    expect((await read()).widened.length).toBe(128);
  });

  it('counts a turn once, until 16 others have come after it', async () => {
    const { session, store, read } = rig();
    await store.passTurn(session, { digest: 'first', anchor: grams(0) });
    for (let nth = 1; nth < 16; nth++) await store.passTurn(session, { digest: `t${String(nth)}` });
    const before = await read();
    expect(await store.passTurn(session, { digest: 'first', anchor: grams(50), prior: grams(50) })).toBe(
      true,
    );
    expect(await store.passTurn(session, { digest: 't9', prior: grams(50), widen: grams(50) })).toBe(false);
    expect(await read()).toEqual(before);
    await store.passTurn(session, { digest: 't16' });
    await store.passTurn(session, { digest: 'first', prior: grams(70) });
    expect(await read()).toMatchObject({ turnCount: 18, prior: grams(70) });
    expect((await read()).recentDigests).toHaveLength(16);
  });

  it('keeps the longest answer of its anchor, and none of another turn', async () => {
    const { session, store, read } = rig();
    await store.answerAnchor(session, 'a', grams(0));
    expect(await store.read(session)).toBeUndefined();
    await store.passTurn(session, { digest: 'a', anchor: grams(0) });
    await store.passTurn(session, { digest: 'b', prior: grams(0) });
    await store.answerAnchor(session, 'a', NONE);
    await store.answerAnchor(session, 'b', grams(400, 90));
    expect((await read()).answer).toEqual(NONE);
    await store.answerAnchor(session, 'a', grams(200));
    await store.answerAnchor(session, 'a', grams(300, 30));
    await store.answerAnchor(session, 'a', grams(500, 10));
    expect((await read()).answer).toEqual(grams(300, 30));
  });

  it('starts again after it was ended, and a late turn of the ended one changes nothing', async () => {
    const { session, store, read } = rig();
    await store.passTurn(session, { digest: 'a', anchor: grams(0) });
    await store.answerAnchor(session, 'a', grams(100));
    const later = { ...session, createdAt: CREATED_AT + 1 };
    expect(await store.passTurn(later, { digest: 'b', anchor: grams(200) })).toBe(true);
    const begun = {
      createdAt: CREATED_AT + 1,
      turnCount: 1,
      anchor: { digest: 'b', grams: grams(200) },
      answer: NONE,
      widened: NONE,
      prior: grams(200),
      unjudged: [],
      recentDigests: ['b'],
    };
    expect(await read()).toEqual(begun);
    expect(await store.passTurn(session, { digest: 'c', prior: grams(300), widen: grams(300) })).toBe(false);
    expect(await read()).toEqual(begun);
  });

  it('has one anchor after 100 simultaneous first turns', async () => {
    const { session, store, read } = rig();
    const anchored = await Promise.all(
      Array.from({ length: 100 }, (_, nth) =>
        store.passTurn(session, { digest: `t${String(nth)}`, anchor: grams(nth * 50) }),
      ),
    );
    expect(anchored.filter(Boolean)).toHaveLength(1);
    const winner = anchored.indexOf(true);
    expect(await read()).toMatchObject({
      turnCount: 100,
      anchor: { digest: `t${String(winner)}`, grams: grams(winner * 50) },
      prior: grams(winner * 50),
    });
  });
});

describe('the state of a session in Redis', () => {
  it('has one anchor after 100 simultaneous first turns through two connections', async () => {
    const other = await connect(redis.addr);
    const session = newSession();
    const stores = [redisStore(), redisStore(other)];
    const anchored = await Promise.all(
      Array.from({ length: 100 }, async (_, nth) => {
        const digest = `t${String(nth)}`;
        const store = stores[nth % 2] ?? redisStore();
        const isAnchor = await store.passTurn(session, { digest, anchor: grams(nth * 50) });
        await store.answerAnchor(session, digest, grams(nth * 50 + 10));
        return isAnchor;
      }),
    );
    other.disconnect();
    const winner = anchored.indexOf(true);
    expect(anchored.filter(Boolean)).toHaveLength(1);
    expect(await redisStore().read(session)).toMatchObject({
      turnCount: 100,
      anchor: { digest: `t${String(winner)}` },
      answer: grams(winner * 50 + 10),
    });
  });

  it('lives as long as the session, from its last turn on, including repeated ones', async () => {
    const session = newSession();
    const key = driftKey(session.keyHash, session.sessionId);
    await redisStore().passTurn(session, { digest: 'a', anchor: grams(0) });
    await redis.client.pexpire(key, 5_000);
    await redisStore().passTurn(session, { digest: 'a', anchor: grams(0) });
    expect(await redis.client.pttl(key)).toBeGreaterThan(TTL_MS - 5_000);
    await redis.client.pexpire(key, 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await redisStore().read(session)).toBeUndefined();
    await redisStore().answerAnchor(session, 'a', grams(0));
    expect(await redis.client.exists(key)).toBe(0);
  });

  it('takes a few kilobytes, and contains no text', async () => {
    const session = newSession();
    const store = redisStore();
    await store.passTurn(session, { digest: randomUUID().slice(0, 12), anchor: grams(0, 192) });
    const anchor = (await store.read(session))?.anchor?.digest ?? '';
    await store.answerAnchor(session, anchor, grams(1_000, 192));
    for (let nth = 0; nth < 40; nth++) {
      const digest = randomUUID().slice(0, 12);
      await store.passTurn(session, { digest, prior: grams(nth, 192), widen: grams(3_000 + nth * 10, 10) });
    }
    const key = driftKey(session.keyHash, session.sessionId);
    expect(await redis.client.memory('USAGE', key)).toBeLessThan(6_144);
  });

  it('is in the slot of the risk profile', () => {
    const keyHash = newKeyHash();
    expect(slotOf(driftKey(keyHash, 's1'))).toBe(slotOf(riskProfileKey(keyHash)));
  });

  it.each<[string, string, string]>([
    ['a count that is none', 'head', '1 many 0'],
    ['n-grams that are none', 'anchor', '{"a":1}'],
  ])('is rejected with %s', async (_why, field, value) => {
    const session = newSession();
    await redisStore().passTurn(session, { digest: 'a', anchor: grams(0) });
    await redis.client.hset(driftKey(session.keyHash, session.sessionId), field, value);
    await expect(redisStore().read(session)).rejects.toMatchObject({ type: 'redis_unavailable' });
  });

  it('cannot be read or written while Redis is gone', async () => {
    const own = await startTestRedis();
    const on = await connect(own.addr, { read_timeout: READ_TIMEOUT_MS });
    const session = newSession();
    const store = createRedisDriftStore({ client: on, deadlineMs: READ_TIMEOUT_MS, ttlMs: TTL_MS });
    await store.passTurn(session, { digest: 'a', anchor: grams(0) });
    const steps = [
      () => store.read(session),
      () => store.passTurn(session, { digest: 'b' }),
      () => store.answerAnchor(session, 'a', grams(0)),
    ];
    for (const leave of [() => own.pause(), () => own.stop()]) {
      await leave();
      for (const step of steps) {
        const failure: unknown = await step().catch((cause: unknown) => cause);
        expect(failure).toBeInstanceOf(GatewayError);
        expect(failure).toMatchObject({ type: 'redis_unavailable', status: 503 });
      }
      await own.resume();
    }
    on.disconnect();
    await own.close();
  });
});
