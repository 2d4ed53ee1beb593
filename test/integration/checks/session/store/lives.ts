import { expect, it } from 'vitest';
import type { RedisSessionStoreOptions } from '../../../../../src/checks/session/redis-store.ts';
import type { SessionAhead, SessionLimits, SessionStore } from '../../../../../src/checks/session/store.ts';
import type { SessionName } from '../../../../../src/conversation/session-name.ts';
import { riskProfileKey, sessionAnchorKey, sessionKey } from '../../../../../src/redis/keys.ts';
import { spendInSession } from '../../../../support/session-spend.ts';
import { connect } from '../../budget/support.ts';
import { call, newKeyHash, opened, openNew } from '../../../../contracts/session-rig.ts';
import { redis, client, sessionStore } from './rig.ts';

const sessionCount = async (keyHash: string): Promise<number> =>
  Number((await redis.client.hget(riskProfileKey(keyHash), 'session_count')) ?? 0);

export function readAhead(): void {
  async function rig(more: Partial<RedisSessionStoreOptions> = {}) {
    const store = sessionStore(more);
    const keyHash = newKeyHash();
    const step = (limits: Partial<SessionLimits> = {}) => call({ keyHash, sessionId: 'one' }, limits);
    async function readAhead(): Promise<SessionAhead> {
      const ahead = await store.readAhead({ keyHash, sessionId: 'one' });
      if (ahead === undefined) throw new Error('nothing can be judged by it');
      return ahead;
    }
    return { store, keyHash, step, readAhead, shown: () => store.read({ keyHash, sessionId: 'one' }) };
  }

  it('is opened if it is unchanged, new or not, with its current values', async () => {
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

  it('is not opened if another call has opened it', async () => {
    const { store, step, readAhead, shown } = await rig();
    const ahead = await readAhead();
    await store.open(step());
    expect(await store.open(step(), undefined, ahead)).toEqual({ kind: 'changed' });
    expect((await shown())?.session.steps).toBe(1);
  });

  it('is not refused ahead: a caller that knows it asks again', async () => {
    const { store, step, readAhead, shown } = await rig({ maxPerKey: 1 });
    await store.open({ ...step(), sessionId: 'other' });
    expect(await store.open(step(), undefined, await readAhead())).toEqual({ kind: 'changed' });
    expect(await shown()).toBeUndefined();
  });

  it('removes the first request of an ended session of its name', async () => {
    const { store, keyHash, step, readAhead } = await rig();
    await redis.client.set(sessionAnchorKey(keyHash, 'one'), 'left behind');
    const result = await store.open(step(), undefined, await readAhead());
    expect(result).toMatchObject({ kind: 'opened', anchored: false });
    expect(await redis.client.exists(sessionAnchorKey(keyHash, 'one'))).toBe(0);
  });
}

export function twoGateways(): void {
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
}

export function sessionCounts(): void {
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

  it('never falls below zero after resets', async () => {
    const store = sessionStore();
    const { step, createdAt } = await openNew(store);
    await redis.client.del(riskProfileKey(step.keyHash));
    await store.leave(step, createdAt);
    expect(await sessionCount(step.keyHash)).toBe(0);
  });
}

export function clocks(): void {
  const HOUR_MS = 3_600_000;

  it('that goes back by an hour leaves sessions and their limits unchanged', async () => {
    const clock = { now: Date.now() };
    const store = sessionStore({ now: () => clock.now });
    const one: SessionName = { keyHash: newKeyHash(), sessionId: 'one' };
    const step = call(one, { maxSteps: 3 });
    const { createdAt } = opened(await store.open(step));
    clock.now -= HOUR_MS;
    await store.finish(step, createdAt);
    for (const steps of [2, 3]) {
      expect(await store.open(call(one))).toMatchObject({ kind: 'opened', session: { steps, createdAt } });
      clock.now += 1_000;
    }
    expect(await store.open(call(one))).toMatchObject({ kind: 'max_steps_reached' });
    expect((await store.read(one))?.session.steps).toBe(3);
  });

  it('that goes forward by an hour, and back, does too', async () => {
    const clock = { now: Date.now() };
    const store = sessionStore({ now: () => clock.now });
    const one: SessionName = { keyHash: newKeyHash(), sessionId: 'one' };
    for (const [steps, moved] of [HOUR_MS, -HOUR_MS, 0].entries()) {
      expect(await store.open(call(one, { maxSteps: 3 }))).toMatchObject({ session: { steps: steps + 1 } });
      clock.now += moved;
    }
    expect(await store.open(call(one))).toMatchObject({ kind: 'max_steps_reached' });
  });
}

export function damaged(): void {
  const name = (): SessionName => ({ keyHash: newKeyHash(), sessionId: 'one' });
  const unavailable = { type: 'redis_unavailable' };

  it.each<[string, (stored: Buffer) => Buffer, string?]>([
    [
      'of another version',
      (stored) => Buffer.concat([Buffer.from([9]), stored.subarray(1)]),
      'stored_form_unknown',
    ],
    ['cut off', (stored) => stored.subarray(0, -1)],
    ['with something behind it', (stored) => Buffer.concat([stored, Buffer.from('x')])],
    ['empty', () => Buffer.alloc(0)],
    [
      'with an invalid number',
      (stored) => Buffer.concat([stored.subarray(0, 2), Buffer.alloc(8, 0xff), stored.subarray(10)]),
    ],
  ])(
    '%s refuses, since reading it as no limit would open the gate; it can be ended',
    async (_how, damage, type = 'redis_unavailable') => {
      const store = sessionStore();
      const one = name();
      const step = call(one, { budgetNanoUsd: 5 });
      const { createdAt } = opened(await store.open(step));
      const key = sessionKey(one.keyHash, 'one');
      const stored = await redis.client.getBuffer(key);
      await redis.client.set(key, damage(stored ?? Buffer.alloc(0)));
      const damaged = await redis.client.getBuffer(key);
      await expect(store.open(call(one))).rejects.toMatchObject({ type });
      await expect(store.peek(one)).rejects.toMatchObject({ type });
      await expect(store.finish(step, createdAt)).rejects.toMatchObject({ type });
      await expect(store.addTaint(step, 'x')).rejects.toMatchObject({ type });
      expect(await redis.client.getBuffer(key)).toEqual(damaged);
      await store.end(one);
      expect(await store.open(call(one))).toMatchObject({ kind: 'opened', session: { steps: 1 } });
    },
  );

  it('of another type is handled like any other Redis failure', async () => {
    const one = name();
    await redis.client.hset(sessionKey(one.keyHash, 'one'), 'x', 'y');
    await expect(sessionStore().open(call(one))).rejects.toMatchObject(unavailable);
  });
}
