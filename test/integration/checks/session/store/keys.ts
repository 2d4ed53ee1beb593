import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { SESSION_ACCOUNT, windowAccounts } from '../../../../../src/checks/budget/accounts.ts';
import type { Account } from '../../../../../src/checks/budget/store.ts';
import { LEASE_MS } from '../../../../../src/checks/lease.ts';
import { MAX_LIVE_SESSIONS, type SessionStore } from '../../../../../src/checks/session/store.ts';
import { UNANSWERED_LIFE_MS } from '../../../../../src/conversation/session-name.ts';
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
} from '../../../../../src/redis/keys.ts';
import { RedisBatch } from '../../../../../src/redis/batch.ts';
import { WHOLE } from '../../../../support/seeded-part.ts';
import { spendInSession } from '../../../../support/session-spend.ts';
import { budgetStore, reservation } from '../../budget/support.ts';
import { call, DAY_MS, makeCall, newKeyHash, opened } from '../../../../contracts/session-rig.ts';
import { redis, client, sessionStore } from './rig.ts';
import { slotOf } from '../../../../support/redis-cluster.ts';

export function keys(): void {
  it('all expire, later after each use; the anchor has its own key', async () => {
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
    now += 1_000; // the rank among the live sessions lags by less
    await store.open(call(name));
    for (const key of keys) expect(await redis.client.pttl(key)).toBeGreaterThan(59_000);
  });

  it('of a session are in the slot of the risk profile', () => {
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
    const slot = slotOf(riskProfileKey(keyHash));
    expect(keys.map(slotOf)).toEqual(keys.map(() => slot));
    expect(slotOf(sessionAnchorKey(keyHash, 'one'))).not.toBe(slot);
  });

  it('of returned steps are one, short-lived and bounded', async () => {
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

  it('of a session without an answer are removed within ten minutes, and with one live for its life', async () => {
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

  it('of a session that makes room are all removed with it, including its anchor', async () => {
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

  it('of a session that makes room are removed with it, even if a reservation in it expires at that moment', async () => {
    let now = Date.UTC(2026, 0, 15, 12);
    const store = sessionStore({ maxLive: 1, now: () => now });
    const budgets = budgetStore(client, { leaseMs: LEASE_MS, now: () => now });
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
      const batch = new RedisBatch(client, 2_500);
      const asked = [
        store.open(step, batch),
        budgets.reserve(reservation(keyHash, {}, 5, { operationId, accounts }), batch),
      ];
      batch.send();
      await Promise.all(asked);
    }
    // Its gateway dies.
    await openAndReserve('first');
    now += LEASE_MS + 1;
    await openAndReserve('next');
    expect((await redis.client.keys(`*${keyHash}*`)).filter((key) => key.includes('first'))).toEqual([]);
    expect(await redis.client.hget(riskProfileKey(keyHash), 'total_spend')).toBe('5');
  });

  it('change nothing if the total spend is damaged and a reservation has expired', async () => {
    let now = Date.UTC(2026, 0, 15, 12);
    const store = sessionStore({ now: () => now });
    const budgets = budgetStore(client, { leaseMs: LEASE_MS, now: () => now });
    const keyHash = newKeyHash();
    await budgets.reserve(reservation(keyHash, {}, 5));
    await redis.client.hset(riskProfileKey(keyHash), 'total_spend', 'much');
    now += LEASE_MS + 1;
    const before = await redis.client.getBuffer(spendKey(keyHash, 'windows'));
    const batch = new RedisBatch(client, 2_500);
    const asked = [
      store.open(call({ keyHash, sessionId: 'one' }), batch),
      budgets.reserve(reservation(keyHash, {}, 7), batch),
    ];
    batch.send();
    for (const one of asked) await expect(one).rejects.toMatchObject({ type: 'redis_unavailable' });
    expect(await redis.client.getBuffer(spendKey(keyHash, 'windows'))).toEqual(before);
    expect(await store.read({ keyHash, sessionId: 'one' })).toBeUndefined();
  });

  it('beyond the bound, from before it existed, are removed a few at a time with each new session', async () => {
    const keyHash = newKeyHash();
    const many = sessionStore();
    for (let nth = 0; nth < 30; nth++) {
      await makeCall(many, call({ keyHash, sessionId: `s${String(nth)}` }));
    }
    const store = sessionStore({ maxLive: 3 });
    for (let nth = 0; nth < 5; nth++) {
      await makeCall(store, call({ keyHash, sessionId: `t${String(nth)}` }));
    }
    expect((await store.list(keyHash)).map(({ id }) => id).sort()).toEqual(['t2', 't3', 't4']);
  });

  it('left by a gateway that died with open calls can be removed once their leases are over', async () => {
    let now = 1_800_000_000_000;
    const store = sessionStore({ maxLive: 3, now: () => now });
    const keyHash = newKeyHash();
    for (const sessionId of ['one', 'two', 'three']) await store.open(call({ keyHash, sessionId }));
    const next = () => store.open(call({ keyHash, sessionId: 'next' }));
    now += LEASE_MS - 1;
    expect(await next()).toMatchObject({ kind: 'too_many_sessions' });
    now += 2;
    expect(await next()).toMatchObject({ kind: 'opened' });
    expect(await redis.client.zcard(sessionsKey(keyHash))).toBe(3);
  });

  it('are all removed when a session is ended, including those of loop and drift', async () => {
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
}

export function manySessions(): void {
  const SESSIONS = WHOLE ? 100_000 : 25_000;
  const AT_ONCE = 500;
  /** String, ledger and anchor of each as stored, and everything else. */
  const MAX_BYTES = MAX_LIVE_SESSIONS * 2_048 + 4 * 1024 * 1024;

  async function usedMemory(): Promise<number> {
    return Number(/used_memory:(\d+)/.exec(await redis.client.info('memory'))?.[1]);
  }

  it('fill no more of Redis than 10,000, whether or not their calls were answered', async () => {
    await redis.flush();
    const before = await usedMemory();
    const store = sessionStore();
    const keyHash = newKeyHash();
    /** As created by `check.ts`. */
    const callOf = (answered: boolean): Promise<void> =>
      makeCall(
        store,
        call({ keyHash, sessionId: randomUUID() }, { budgetNanoUsd: 1_000 }),
        answered ? 'the first request' : undefined,
      );
    let most = 0;
    for (let made = 0; made < SESSIONS; made += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => callOf(nth % 5 === 0)));
      if (made % 10_000 === 0) most = Math.max(most, await redis.client.dbsize());
    }
    const keys = Math.max(most, await redis.client.dbsize());
    expect(await redis.client.zcard(sessionsKey(keyHash))).toBe(MAX_LIVE_SESSIONS);
    // String, ledger and anchor of each; the index, and the profile.
    expect(keys).toBeLessThanOrEqual(MAX_LIVE_SESSIONS * 3 + 2);
    expect(keys).toBeGreaterThan(MAX_LIVE_SESSIONS);
    expect((await usedMemory()) - before).toBeLessThan(MAX_BYTES);
  }, 300_000);
}

export function placesOfSessions(): void {
  const HOUR_MS = 3_600_000;

  it('lags behind its use by at most ten seconds, and is exact when it is about to be removed', async () => {
    let now = Date.now();
    const store = sessionStore({ maxLive: 3, now: () => now });
    const keyHash = newKeyHash();
    const use = (sessionId: string) => makeCall(store, call({ keyHash, sessionId }), 'the first request');
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

  it('is kept past the end of the life that it lags behind', async () => {
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

  it('is last while one of its calls is open, and normal again when that has ended', async () => {
    const store = sessionStore({ maxLive: 2 });
    const keyHash = newKeyHash();
    const [one, two] = ['one', 'two'].map((sessionId) => call({ keyHash, sessionId }));
    if (one === undefined || two === undefined) throw new Error('two were made');
    const { createdAt } = opened(await store.open(one));
    await makeCall(store, two);
    await store.open(call({ keyHash, sessionId: 'three' }));
    expect((await store.list(keyHash)).map(({ id }) => id).sort()).toEqual(['one', 'three']);
    const place = async (): Promise<number> => Number(await redis.client.zscore(sessionsKey(keyHash), 'one'));
    expect(await place()).toBeGreaterThan(createdAt + 10_000_000_000_000);
    await store.finish(one, createdAt);
    expect(await place()).toBeLessThanOrEqual(Date.now() + UNANSWERED_LIFE_MS);
  });

  it('of 100 with an open call in each is searched once, and one without is found behind them', async () => {
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
}

export function bytesOfSessions(): void {
  const SESSION_BYTES = 50_000;
  const MAX_BYTES = 1_000_000;

  /** Opens sessions one after another, each with the same amount in its loop window. */
  async function openMany(store: SessionStore, keyHash: string, many: number): Promise<void> {
    for (let nth = 0; nth < many; nth++) {
      const sessionId = `s${String(nth)}`;
      await makeCall(store, call({ keyHash, sessionId }));
      await redis.client.set(loopKey(keyHash, sessionId), 'x'.repeat(SESSION_BYTES), 'PX', 600_000);
    }
  }

  it('is bounded for a key: the first in rank make room, with all their data', async () => {
    const store = sessionStore({ maxKeyBytes: MAX_BYTES, measuredFrom: 10 });
    const [keyHash, other] = [newKeyHash(), newKeyHash()];
    await openMany(store, other, 8);
    await openMany(store, keyHash, 60);
    const left = (await store.list(keyHash)).map(({ id }) => Number(id.slice(1)));
    const most = MAX_BYTES / SESSION_BYTES;
    expect(left.length).toBeLessThanOrEqual(most);
    expect(left.length).toBeGreaterThan(most / 2);
    expect(Math.min(...left)).toBe(60 - left.length);
    const loops = await redis.client.keys(`${loopKey(keyHash, '').replaceAll(/[[\]]/g, '?')}*`);
    expect(loops).toHaveLength(left.length);
    expect(await store.list(other)).toHaveLength(8);
  });

  it('is bounded too if sessions grow after they were opened', async () => {
    const store = sessionStore({ maxKeyBytes: MAX_BYTES, measuredFrom: 10 });
    const keyHash = newKeyHash();
    const ids = Array.from({ length: 60 }, (_, nth) => `s${String(nth)}`);
    const use = (sessionId: string) => makeCall(store, call({ keyHash, sessionId }));
    for (const id of ids) await use(id);
    expect(await store.list(keyHash)).toHaveLength(60);
    for (const id of ids)
      await redis.client.set(loopKey(keyHash, id), 'x'.repeat(SESSION_BYTES), 'PX', 600_000);
    const last = ids.slice(-4);
    for (let nth = 0; nth < 48; nth++) for (const id of last) await use(id);
    const left = (await store.list(keyHash)).map(({ id }) => id);
    expect(left.length).toBeLessThanOrEqual(MAX_BYTES / SESSION_BYTES);
    expect(left).toEqual(expect.arrayContaining(last));
  });

  it('keeps small sessions up to their number', async () => {
    const store = sessionStore({ maxKeyBytes: MAX_BYTES, measuredFrom: 10 });
    const keyHash = newKeyHash();
    for (let nth = 0; nth < 100; nth++) await store.open(call({ keyHash, sessionId: `s${String(nth)}` }));
    expect(await store.list(keyHash)).toHaveLength(100);
  });

  it('leaves each of very many sessions less of an anchor', async () => {
    const store = sessionStore();
    const keyHash = newKeyHash();
    const anchor = 'ä'.repeat(8_192);
    const inAnHour = Date.now() + 3_600_000;
    const others = Array.from({ length: 2_047 }, (_, nth) => [inAnHour, `other-${String(nth)}`]).flat();
    async function anchorOfNew(sessionId: string): Promise<string | null> {
      const step = call({ keyHash, sessionId });
      const { createdAt } = opened(await store.open(step));
      await store.noteAnswered(step, createdAt, anchor);
      return redis.client.get(sessionAnchorKey(keyHash, sessionId));
    }
    expect(await anchorOfNew('first')).toBe(anchor);
    await redis.client.zadd(sessionsKey(keyHash), ...others);
    const second = await anchorOfNew('second');
    expect(second).toBe('ä'.repeat(Math.floor(8_388_608 / 2_049 / 2)));
  });
}
