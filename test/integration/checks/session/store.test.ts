import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SESSION_ACCOUNT } from '../../../../src/checks/budget/accounts.ts';
import type { Account } from '../../../../src/checks/budget/store.ts';
import { windowAccounts } from '../../../../src/checks/budget/windows.ts';
import { createRedisSessionStore } from '../../../../src/checks/session/redis-store.ts';
import type { RedisSessionStoreOptions } from '../../../../src/checks/session/redis-store.ts';
import { CALL_LEASE_MS, MAX_LIVE_SESSIONS } from '../../../../src/checks/session/store.ts';
import { UNANSWERED_LIFE_MS } from '../../../../src/conversation/session-turn.ts';
import type { SessionAhead, SessionLimits, SessionStore } from '../../../../src/checks/session/store.ts';
import type { SessionName } from '../../../../src/conversation/session-turn.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import {
  driftKey,
  leftStepsKey,
  loopKey,
  operationKey,
  riskProfileKey,
  sessionAnchorKey,
  sessionKey,
  sessionsKey,
  spendKey,
} from '../../../../src/redis/keys.ts';
import { RedisPhase } from '../../../../src/redis/phase.ts';
import type { TestRedis } from '../../../support/redis.ts';
import { spendInSession } from '../../../support/session-spend.ts';
import { budgetStore, connect, reservation, useRedis } from '../budget/support.ts';
import { sessionNotesContract } from '../../../contracts/session-notes.ts';
import { call, DAY_MS, newKeyHash, opened } from '../../../contracts/session-rig.ts';
import type { ContractOptions, StoreUnderTest } from '../../../contracts/session-rig.ts';
import { sessionStoreContract } from '../../../contracts/session-store.ts';

/** The slot of a key as the client library computes it; the package has no types. */
const calculateSlot = createRequire(import.meta.url)('cluster-key-slot') as (key: string) => number;

let redis: TestRedis;
let client: RedisClient;
useRedis((started) => ({ redis, client } = started));

function sessionStore(more: Partial<RedisSessionStoreOptions> = {}): SessionStore {
  return createRedisSessionStore({ client, deadlineMs: 2_500, ttlMs: DAY_MS, maxPerKey: 0, ...more });
}

const sessionCount = async (keyHash: string): Promise<number> =>
  Number((await redis.client.hget(riskProfileKey(keyHash), 'session_count')) ?? 0);

describe('sessions in Redis', () => {
  sessionStoreContract(inRedis);
  sessionNotesContract(inRedis);
});

function inRedis(options: Required<ContractOptions>): StoreUnderTest {
  return {
    store: sessionStore(options),
    spend: (name, nanoUsd) => spendInSession(client, name, nanoUsd),
    wait: (ms) => delay(ms),
  };
}

describe('a session that was read ahead', () => {
  async function rig(more: Partial<RedisSessionStoreOptions> = {}) {
    const store = sessionStore(more);
    const keyHash = newKeyHash();
    const step = (limits: Partial<SessionLimits> = {}) => call({ keyHash, sessionId: 'one' }, limits);
    async function readAhead(): Promise<SessionAhead> {
      const phase = new RedisPhase(client, 2_500);
      const reading = store.readAhead({ keyHash, sessionId: 'one' }, phase);
      phase.send();
      const ahead = await reading;
      if (ahead === undefined) throw new Error('nothing can be judged by it');
      return ahead;
    }
    return { store, keyHash, step, readAhead, shown: () => store.read({ keyHash, sessionId: 'one' }) };
  }

  it('is opened where it is so still, new or not, with what it is then', async () => {
    const { store, step, readAhead } = await rig();
    for (const steps of [1, 2]) {
      const ahead = await readAhead();
      expect(ahead).toMatchObject({ isOpen: steps === 2, anchored: false, session: { steps: steps - 1 } });
      const result = await store.open(step(), undefined, ahead);
      expect(result).toMatchObject({ kind: 'opened', session: { steps } });
    }
  });

  it('is opened once by one operation, however often that is repeated', async () => {
    const { store, step, readAhead, shown } = await rig();
    for (const steps of [1, 2]) {
      const [ahead, repeated] = [await readAhead(), step()];
      const result = await store.open(repeated, undefined, ahead);
      expect(opened(await store.open(repeated, undefined, ahead))).toEqual({
        ...opened(result),
        lastUsedAt: expect.any(Number) as number,
      });
      expect((await shown())?.session.steps).toBe(steps);
    }
  });

  it.each<[string, (rigged: Awaited<ReturnType<typeof rig>>) => Promise<unknown>]>([
    ['a step', ({ store, step }) => store.open(step())],
    ['a taint', ({ store, step }) => store.addTaint(step(), 'secret_accessed')],
    ['a mark', ({ store, step }) => store.addMark(step(), 'seen')],
    ['what a call cost', ({ keyHash }) => spendInSession(client, { keyHash, sessionId: 'one' }, 7)],
    ['its end', ({ store, keyHash }) => store.end({ keyHash, sessionId: 'one' })],
    [
      'a move of its state',
      async ({ store, step, shown }) =>
        store.moveState(step(), (await shown())?.session.createdAt ?? 0, { from: undefined, to: 'later' }),
    ],
  ])('is not opened after %s, and nothing of it is changed', async (_what, change) => {
    const rigged = await rig();
    const { store, step, readAhead, shown } = rigged;
    await store.open(step({ maxSteps: 9 }));
    const ahead = await readAhead();
    await change(rigged);
    const before = await shown();
    expect(await store.open(step({ maxSteps: 3 }), undefined, ahead)).toEqual({ kind: 'changed' });
    expect(await shown()).toEqual(before);
  });

  it('is not opened where another call has opened it', async () => {
    const { store, step, readAhead, shown } = await rig();
    const ahead = await readAhead();
    await store.open(step());
    expect(await store.open(step(), undefined, ahead)).toEqual({ kind: 'changed' });
    expect((await shown())?.session.steps).toBe(1);
  });

  it('is not refused what it would be refused: who knows of it asks once more', async () => {
    const { store, step, readAhead, shown } = await rig({ maxPerKey: 1 });
    await store.open({ ...step(), sessionId: 'other' });
    expect(await store.open(step(), undefined, await readAhead())).toEqual({ kind: 'changed' });
    expect(await shown()).toBeUndefined();
  });

  it('takes the first request of an ended session of its name with it', async () => {
    const { store, keyHash, step, readAhead } = await rig();
    await redis.client.set(sessionAnchorKey(keyHash, 'one'), 'left behind');
    const result = await store.open(step(), undefined, await readAhead());
    expect(result).toMatchObject({ kind: 'opened', anchored: false });
    expect(await redis.client.exists(sessionAnchorKey(keyHash, 'one'))).toBe(0);
  });
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
    let now = Date.now();
    const store = sessionStore({ ttlMs: 60_000, now: () => now });
    const name = { keyHash: newKeyHash(), sessionId: 'a.b:c_d-e' };
    const { createdAt } = opened(await store.open(call(name)));
    await store.noteAnswered(name, createdAt, 'the first request');
    const anchor = `gateway:session:${name.keyHash}:a.b:c_d-e:anchor`;
    expect(await redis.client.get(anchor)).toBe('the first request');
    const ledger = spendKey(name.keyHash, `session:${name.sessionId}`);
    await spendInSession(client, name, 5);
    const keys = [anchor, ledger, sessionKey(name.keyHash, name.sessionId), sessionsKey(name.keyHash)];
    for (const key of keys) await redis.client.pexpire(key, 1_000);
    now += 1_000; // the place among the live sessions lags behind by less
    await store.open(call(name));
    for (const key of keys) expect(await redis.client.pttl(key)).toBeGreaterThan(59_000);
  });

  it('of a session keep to the slot of the risk profile', () => {
    const keyHash = newKeyHash();
    const keys = [
      sessionKey(keyHash, 'one'),
      sessionsKey(keyHash),
      operationKey(keyHash, 'op'),
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

  it('of one that makes room go with it, also where a reservation in it runs out at that moment', async () => {
    let now = Date.UTC(2026, 0, 15, 12);
    const store = sessionStore({ maxLive: 1, now: () => now });
    const budgets = budgetStore(client, { leaseMs: CALL_LEASE_MS, now: () => now });
    const keyHash = newKeyHash();
    async function openAndReserve(sessionId: string) {
      const step = call({ keyHash, sessionId });
      const session: Account = {
        name: SESSION_ACCOUNT,
        ledger: `session:${sessionId}`,
        calendar: 'none',
        limitNanoUsd: undefined,
        idleMs: DAY_MS,
      };
      const { operationId } = step;
      const accounts = [...windowAccounts({}), session];
      const phase = new RedisPhase(client, 2_500);
      const asked = [
        store.open(step, phase),
        budgets.reserve(reservation(keyHash, {}, 5, { operationId, accounts }), phase),
      ];
      phase.send();
      await Promise.all(asked);
    }
    // Its gateway dies.
    await openAndReserve('first');
    now += CALL_LEASE_MS + 1;
    await openAndReserve('next');
    expect((await redis.client.keys(`*${keyHash}*`)).filter((key) => key.includes('first'))).toEqual([]);
    expect(await redis.client.hget(riskProfileKey(keyHash), 'total_spend')).toBe('5');
  });

  it('change nothing where what was spent in all is damaged and a reservation has run out', async () => {
    let now = Date.UTC(2026, 0, 15, 12);
    const store = sessionStore({ now: () => now });
    const budgets = budgetStore(client, { leaseMs: CALL_LEASE_MS, now: () => now });
    const keyHash = newKeyHash();
    await budgets.reserve(reservation(keyHash, {}, 5));
    await redis.client.hset(riskProfileKey(keyHash), 'total_spend', 'much');
    now += CALL_LEASE_MS + 1;
    const before = await redis.client.getBuffer(spendKey(keyHash, 'windows'));
    const phase = new RedisPhase(client, 2_500);
    const asked = [
      store.open(call({ keyHash, sessionId: 'one' }), phase),
      budgets.reserve(reservation(keyHash, {}, 7), phase),
    ];
    phase.send();
    for (const one of asked) await expect(one).rejects.toMatchObject({ type: 'redis_unavailable' });
    expect(await redis.client.getBuffer(spendKey(keyHash, 'windows'))).toEqual(before);
    expect(await store.read({ keyHash, sessionId: 'one' })).toBeUndefined();
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
  /** String, ledger and anchor of each, as Redis keeps them, and all that is not a session's. */
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
    async function makeCall(answered: boolean): Promise<void> {
      const step = call({ keyHash, sessionId: randomUUID() }, { budgetNanoUsd: 1_000 });
      const { createdAt } = opened(await store.open(step));
      if (answered) await store.noteAnswered(step, createdAt, 'the first request');
      await store.finish(step, createdAt);
    }
    let most = 0;
    for (let made = 0; made < SESSIONS; made += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => makeCall(nth % 5 === 0)));
      if (made % 10_000 === 0) most = Math.max(most, await redis.client.dbsize());
    }
    const keys = Math.max(most, await redis.client.dbsize());
    expect(await redis.client.zcard(sessionsKey(keyHash))).toBe(MAX_LIVE_SESSIONS);
    // String, ledger and anchor of each; the index, and the profile.
    expect(keys).toBeLessThanOrEqual(MAX_LIVE_SESSIONS * 3 + 2);
    expect(keys).toBeGreaterThan(MAX_LIVE_SESSIONS);
    expect((await usedMemory()) - before).toBeLessThan(MAX_BYTES);
  }, 300_000);
});

describe('a damaged session', () => {
  const name = (): SessionName => ({ keyHash: newKeyHash(), sessionId: 'one' });
  const unavailable = { type: 'redis_unavailable' };

  it.each<[string, (stored: Buffer) => Buffer]>([
    ['of another version', (stored) => Buffer.concat([Buffer.from([9]), stored.subarray(1)])],
    ['cut off', (stored) => stored.subarray(0, -1)],
    ['with something behind it', (stored) => Buffer.concat([stored, Buffer.from('x')])],
    ['empty', () => Buffer.alloc(0)],
    [
      'with a number that is none',
      (stored) => Buffer.concat([stored.subarray(0, 2), Buffer.alloc(8, 0xff), stored.subarray(10)]),
    ],
  ])('%s refuses, for reading it as no limit would open the gate; it can be ended', async (_how, damage) => {
    const store = sessionStore();
    const one = name();
    const step = call(one, { budgetNanoUsd: 5 });
    const { createdAt } = opened(await store.open(step));
    const key = sessionKey(one.keyHash, 'one');
    const stored = await redis.client.getBuffer(key);
    await redis.client.set(key, damage(stored ?? Buffer.alloc(0)));
    const damaged = await redis.client.getBuffer(key);
    await expect(store.open(call(one))).rejects.toMatchObject(unavailable);
    await expect(store.peek(one)).rejects.toMatchObject(unavailable);
    await expect(store.finish(step, createdAt)).rejects.toMatchObject(unavailable);
    await expect(store.addTaint(step, 'x')).rejects.toMatchObject(unavailable);
    expect(await redis.client.getBuffer(key)).toEqual(damaged);
    await store.end(one);
    expect(await store.open(call(one))).toMatchObject({ kind: 'opened', session: { steps: 1 } });
  });

  it('of another type is an answer of Redis like any other failure', async () => {
    const one = name();
    await redis.client.hset(sessionKey(one.keyHash, 'one'), 'x', 'y');
    await expect(sessionStore().open(call(one))).rejects.toMatchObject(unavailable);
  });
});

describe('the place of a session among those of its key', () => {
  const HOUR_MS = 3_600_000;

  it('lags behind its use by ten seconds at most, and is the very one when it is to go', async () => {
    let now = Date.now();
    const store = sessionStore({ maxLive: 3, now: () => now });
    const keyHash = newKeyHash();
    async function use(sessionId: string): Promise<void> {
      const step = call({ keyHash, sessionId });
      const { createdAt } = opened(await store.open(step));
      await store.noteAnswered(step, createdAt, undefined);
      await store.finish(step, createdAt);
    }
    for (const id of ['one', 'two', 'three']) await use(id);
    const place = async (): Promise<number> => Number(await redis.client.zscore(sessionsKey(keyHash), 'one'));
    const first = await place();
    now += 5_000;
    await use('one');
    expect(await place()).toBe(first);
    await use('four');
    expect((await store.list(keyHash)).map(({ id }) => id)).toContain('one');
    now += 6_000;
    await use('one');
    expect(await place()).toBe(first + 11_000);
  });

  it('is not lost at the end of the life that it lags behind', async () => {
    let now = Date.now();
    const store = sessionStore({ maxPerKey: 1, ttlMs: HOUR_MS, now: () => now });
    const one = call({ keyHash: newKeyHash(), sessionId: 'one' });
    const other = () => store.open(call({ ...one, sessionId: 'two' }));
    const { createdAt } = opened(await store.open(one));
    await store.noteAnswered(one, createdAt, undefined);
    now += 9_000;
    await store.finish(one, createdAt);
    now += HOUR_MS - 1_000;
    expect(await other()).toMatchObject({ kind: 'too_many_sessions', liveSessions: 1 });
    expect(await redis.client.zcard(sessionsKey(one.keyHash))).toBe(1);
    await redis.client.del(sessionKey(one.keyHash, 'one'));
    expect(await other()).toMatchObject({ kind: 'opened' });
    expect(await redis.client.zrange(sessionsKey(one.keyHash), '0', '-1')).toEqual(['two']);
  });

  it('is behind all others while a call of it is on its way, and its own again when that has ended', async () => {
    const store = sessionStore({ maxLive: 2 });
    const keyHash = newKeyHash();
    const [one, two] = ['one', 'two'].map((sessionId) => call({ keyHash, sessionId }));
    if (one === undefined || two === undefined) throw new Error('two were made');
    const { createdAt } = opened(await store.open(one));
    await store.finish(two, opened(await store.open(two)).createdAt);
    await store.open(call({ keyHash, sessionId: 'three' }));
    expect((await store.list(keyHash)).map(({ id }) => id).sort()).toEqual(['one', 'three']);
    const place = async (): Promise<number> => Number(await redis.client.zscore(sessionsKey(keyHash), 'one'));
    expect(await place()).toBeGreaterThan(createdAt + 10_000_000_000_000);
    await store.finish(one, createdAt);
    expect(await place()).toBeLessThanOrEqual(Date.now() + UNANSWERED_LIFE_MS);
  });

  it('of 100 with a call on its way in each is looked for once, and one without is found behind them', async () => {
    const store = sessionStore({ maxLive: 100 });
    const keyHash = newKeyHash();
    const steps = Array.from({ length: 100 }, (_, nth) => call({ keyHash, sessionId: `s${String(nth)}` }));
    const created: number[] = [];
    for (const step of steps) created.push(opened(await store.open(step)).createdAt);
    const next = (id: string) => store.open(call({ keyHash, sessionId: id }));
    expect(await next('new')).toEqual({ kind: 'too_many_sessions', liveSessions: 100 });
    await store.finish(steps[77] ?? call({ keyHash, sessionId: '' }), created[77] ?? 0);
    expect(await next('new')).toMatchObject({ kind: 'opened' });
    const ids = (await store.list(keyHash)).map(({ id }) => id);
    expect(ids).toHaveLength(100);
    expect(ids).not.toContain('s77');
  });
});
