import { describe, expect, it } from 'vitest';
import { UNANSWERED_LIFE_MS } from '../../src/conversation/session-turn.ts';
import type { SessionLimits, SessionStore } from '../../src/checks/session/store.ts';

import {
  call,
  countOf,
  DAY_MS,
  newKeyHash,
  newName,
  opened,
  starting,
  type ContractOptions,
  type StoreUnderTest,
} from './session-rig.ts';

/** What every session store does, wherever it keeps them: a session's steps, limits and life. */
export function sessionStoreContract(create: (options: Required<ContractOptions>) => StoreUnderTest): void {
  const start = starting(create);

  describe('steps', () => {
    it('count from one, and begin in the initial state with nothing noted', async () => {
      const { store } = start();
      const name = newName();
      const first = opened(await store.open(call(name)));
      expect(first).toMatchObject({
        id: 'one',
        state: undefined,
        steps: 1,
        spendNanoUsd: 0,
        maxSteps: undefined,
        budgetNanoUsd: undefined,
        taintFlags: [],
        toolsCalled: [],
      });
      expect(opened(await store.open(call(name))).steps).toBe(2);
    });

    it('let exactly 10 of 200 parallel calls in where 10 are the most', async () => {
      const { store } = start();
      const name = newName();
      const results = await Promise.all(
        Array.from({ length: 200 }, () => store.open(call(name, { maxSteps: 10 }))),
      );
      expect(countOf(results, 'opened')).toBe(10);
      expect(countOf(results, 'max_steps_reached')).toBe(190);
      const steps = results.flatMap((result) => (result.kind === 'opened' ? [result.session.steps] : []));
      expect(steps.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    });

    it('are taken once under one operation', async () => {
      const { store } = start();
      const step = call(newName(), { maxSteps: 1 });
      expect(await store.open(step)).toEqual(await store.open(step));
      expect(await store.open(call(step))).toMatchObject({ kind: 'max_steps_reached' });
    });

    it('of two keys with sessions of one name have nothing to do with each other', async () => {
      const { store } = start();
      await store.open(call(newName(), { maxSteps: 1 }));
      expect(await store.open(call(newName()))).toMatchObject({ kind: 'opened', session: { steps: 1 } });
    });

    it('are none where the most is 0, and no session is left of it', async () => {
      const { store } = start();
      const name = newName();
      expect(await store.open(call(name, { maxSteps: 0 }))).toMatchObject({
        kind: 'max_steps_reached',
        session: { maxSteps: 0, steps: 0 },
      });
      expect(await store.list(name.keyHash)).toEqual([]);
    });
  });

  describe('limits', () => {
    it('come from the first request that names them, and are only ever tightened', async () => {
      const { store } = start();
      const name = newName();
      const ask = async (limits: Partial<SessionLimits>) => opened(await store.open(call(name, limits)));
      expect(await ask({})).toMatchObject({ maxSteps: undefined, budgetNanoUsd: undefined });
      expect(await ask({ maxSteps: 50 })).toMatchObject({ maxSteps: 50, budgetNanoUsd: undefined });
      expect(await ask({ maxSteps: 60, budgetNanoUsd: 7 })).toMatchObject({ maxSteps: 50, budgetNanoUsd: 7 });
      expect(await ask({ maxSteps: 40, budgetNanoUsd: 9 })).toMatchObject({ maxSteps: 40, budgetNanoUsd: 7 });
      expect(await ask({})).toMatchObject({ maxSteps: 40, budgetNanoUsd: 7 });
    });

    it('are tightened by a call that is refused by them', async () => {
      const { store } = start();
      const name = newName();
      await store.open(call(name, { maxSteps: 50 }));
      await store.open(call(name));
      expect(await store.open(call(name, { maxSteps: 2 }))).toMatchObject({ kind: 'max_steps_reached' });
      expect(await store.open(call(name))).toMatchObject({ kind: 'max_steps_reached' });
    });

    it('are kept to the highest amount', async () => {
      const { store } = start();
      const limits = { maxSteps: 1_000_000_000, budgetNanoUsd: 9_000_000_000_000_000 };
      expect(opened(await store.open(call(newName(), limits)))).toMatchObject(limits);
    });

    it('of spend refuse once they are reached, and the spend is told', async () => {
      const { store, spend } = start();
      const name = newName();
      await store.open(call(name, { budgetNanoUsd: 1_000 }));
      await spend(name, 999);
      expect(await store.open(call(name))).toMatchObject({ kind: 'opened', session: { spendNanoUsd: 999 } });
      await spend(name, 1);
      expect(await store.open(call(name))).toMatchObject({
        kind: 'budget_spent',
        session: { spendNanoUsd: 1_000, budgetNanoUsd: 1_000, steps: 2 },
      });
    });

    it('of 0 USD let nothing in', async () => {
      const { store } = start();
      expect(await store.open(call(newName(), { budgetNanoUsd: 0 }))).toMatchObject({ kind: 'budget_spent' });
    });
  });

  describe('giving a step back', () => {
    it('makes room for another', async () => {
      const { store } = start();
      const name = newName();
      await store.open(call(name, { maxSteps: 2 }));
      const second = call(name);
      const { createdAt } = opened(await store.open(second));
      await store.leave(second, createdAt);
      expect(await store.open(call(name))).toMatchObject({ kind: 'opened', session: { steps: 2 } });
      expect(await store.open(call(name))).toMatchObject({ kind: 'max_steps_reached' });
    });

    it('twice gives one back', async () => {
      const { store } = start();
      const name = newName();
      await store.open(call(name));
      await store.open(call(name));
      const third = call(name);
      const { createdAt } = opened(await store.open(third));
      await Promise.all([store.leave(third, createdAt), store.leave(third, createdAt)]);
      await store.leave(third, createdAt);
      expect((await store.read(name))?.session.steps).toBe(2);
    });

    it('works where the answer to the opening was lost', async () => {
      const { store } = start();
      const name = newName();
      await store.open(call(name));
      const lost = call(name);
      await store.open(lost);
      await store.leave(lost, undefined);
      expect((await store.read(name))?.session.steps).toBe(1);
    });

    it('before it was taken keeps it from being taken', async () => {
      const { store } = start();
      const step = call(newName());
      await store.leave(step, undefined);
      expect(await store.open(step)).toEqual({ kind: 'closed' });
      expect(await store.list(step.keyHash)).toEqual([]);
    });

    it('forgets a session that is left without one', async () => {
      const { store } = start({ maxPerKey: 1 });
      const step = call(newName(), { maxSteps: 1 });
      const { createdAt } = opened(await store.open(step));
      await store.leave(step, createdAt);
      expect(await store.read(step)).toBeUndefined();
      expect(await store.open(call({ ...step, sessionId: 'two' }))).toMatchObject({ kind: 'opened' });
    });

    it('of an earlier life of the session changes nothing', async () => {
      const { store, wait } = start();
      const name = newName();
      const old = call(name);
      const { createdAt } = opened(await store.open(old));
      await store.end(name);
      await wait(5);
      await store.open(call(name));
      await store.leave(old, createdAt);
      expect((await store.read(name))?.session.steps).toBe(1);
    });
  });

  describe('sessions of one key', () => {
    it('are at most so many: 200 parallel new ones, 10 allowed', async () => {
      const { store } = start({ maxPerKey: 10 });
      const keyHash = newKeyHash();
      const results = await Promise.all(
        Array.from({ length: 200 }, (_, nth) => store.open(call({ keyHash, sessionId: `s${String(nth)}` }))),
      );
      expect(countOf(results, 'opened')).toBe(10);
      expect(countOf(results, 'too_many_sessions')).toBe(190);
      expect(results.find(({ kind }) => kind === 'too_many_sessions')).toEqual({
        kind: 'too_many_sessions',
        liveSessions: 10,
      });
      expect(await store.list(keyHash)).toHaveLength(10);
    });

    it('go on when there are as many as allowed; one that ends makes room', async () => {
      const { store } = start({ maxPerKey: 1 });
      const name = newName();
      const other = { ...name, sessionId: 'two' };
      await store.open(call(name));
      expect(await store.open(call(name))).toMatchObject({ kind: 'opened' });
      expect(await store.open(call(other))).toMatchObject({ kind: 'too_many_sessions' });
      expect(await store.end(name)).toBe(true);
      expect(await store.open(call(other))).toMatchObject({ kind: 'opened' });
    });

    it('are forgotten when idle for their life, and begin anew', async () => {
      const { store, wait } = start({ maxPerKey: 1, ttlMs: 1_000 });
      const name = newName();
      const { createdAt } = opened(await store.open(call(name, { maxSteps: 5, budgetNanoUsd: 7 })));
      await wait(600);
      await store.open(call(name));
      await wait(600);
      // 1,200 ms after it began, 600 after its last use.
      expect(await store.open(call(name))).toMatchObject({
        kind: 'opened',
        session: { steps: 3, createdAt },
      });
      await wait(1_100);
      expect(await store.list(name.keyHash)).toEqual([]);
      expect(await store.open(call({ ...name, sessionId: 'two' }))).toMatchObject({ kind: 'opened' });
      await wait(1_100);
      const again = opened(await store.open(call(name)));
      expect(again).toMatchObject({ steps: 1, maxSteps: undefined, budgetNanoUsd: undefined });
      expect(again.createdAt).toBeGreaterThan(createdAt);
    });

    it('are listed, the last used first', async () => {
      const { store, wait } = start();
      const keyHash = newKeyHash();
      for (const sessionId of ['one', 'two', 'three', 'one']) {
        await store.open(call({ keyHash, sessionId }));
        await wait(3);
      }
      const listed = await store.list(keyHash);
      expect(listed.map(({ id, steps }) => [id, steps])).toEqual([
        ['one', 2],
        ['three', 1],
        ['two', 1],
      ]);
    });
  });

  describe('sessions of a key without a limit of its own', () => {
    const named = (keyHash: string, sessionId: string) => call({ keyHash, sessionId });
    const ids = async (store: SessionStore, keyHash: string): Promise<string[]> =>
      (await store.list(keyHash)).map(({ id }) => id).sort();

    /** A call that has come and gone. */
    async function made(
      { store, wait }: StoreUnderTest,
      keyHash: string,
      sessionId: string,
      answered: boolean,
    ): Promise<void> {
      const step = named(keyHash, sessionId);
      const { createdAt } = opened(await store.open(step));
      if (answered) await store.noteAnswered(step, createdAt, undefined);
      await store.finish(step, createdAt);
      await wait(3);
    }

    it('make room for one more, the least recently used first', async () => {
      const rig = start({ maxLive: 3 });
      const keyHash = newKeyHash();
      for (const id of ['one', 'two', 'three', 'one']) await made(rig, keyHash, id, true);
      await made(rig, keyHash, 'four', true);
      expect(await ids(rig.store, keyHash)).toEqual(['four', 'one', 'three']);
      await made(rig, keyHash, 'five', true);
      expect(await ids(rig.store, keyHash)).toEqual(['five', 'four', 'one']);
    });

    it('make room with those first that no call was answered in', async () => {
      const rig = start({ maxLive: 3 });
      const keyHash = newKeyHash();
      await made(rig, keyHash, 'answered', true);
      for (const id of ['a', 'b', 'c', 'd', 'e']) await made(rig, keyHash, id, false);
      expect(await ids(rig.store, keyHash)).toEqual(['answered', 'd', 'e']);
    });

    it('are never forgotten with a call on its way, and where one is on its way in each, a new one is refused', async () => {
      const { store, wait } = start({ maxLive: 3 });
      const keyHash = newKeyHash();
      const steps = ['one', 'two', 'three'].map((id) => named(keyHash, id));
      const created: number[] = [];
      for (const step of steps) created.push(opened(await store.open(step)).createdAt);
      expect(await store.open(named(keyHash, 'four'))).toEqual({
        kind: 'too_many_sessions',
        liveSessions: 3,
      });
      expect(await store.open(named(keyHash, 'two'))).toMatchObject({
        kind: 'opened',
        session: { steps: 2 },
      });
      await wait(3);
      const [, , third] = steps;
      if (third === undefined) throw new Error('three were opened');
      await store.finish(third, created[2] ?? 0);
      expect(await store.open(named(keyHash, 'four'))).toMatchObject({ kind: 'opened' });
      expect(await ids(store, keyHash)).toEqual(['four', 'one', 'two']);
    });

    it('keep their limits as long as they live, and begin anew once they went', async () => {
      const rig = start({ maxLive: 2 });
      const keyHash = newKeyHash();
      const step = call({ keyHash, sessionId: 'one' }, { maxSteps: 1 });
      const { createdAt } = opened(await rig.store.open(step));
      await rig.store.noteAnswered(step, createdAt, 'the first request');
      await rig.store.finish(step, createdAt);
      await rig.wait(3);
      await made(rig, keyHash, 'two', true);
      expect(await rig.store.open(named(keyHash, 'one'))).toMatchObject({ kind: 'max_steps_reached' });
      await rig.wait(3);
      for (const id of ['three', 'four']) await made(rig, keyHash, id, true);
      expect(await rig.store.open(named(keyHash, 'one'))).toMatchObject({
        kind: 'opened',
        anchored: false,
        session: { steps: 1, maxSteps: undefined, answered: false },
      });
    });

    it('are refused before they are made room for, where their own limits let nothing in', async () => {
      const rig = start({ maxLive: 1 });
      const keyHash = newKeyHash();
      await made(rig, keyHash, 'one', true);
      const refused = await rig.store.open(call({ keyHash, sessionId: 'two' }, { maxSteps: 0 }));
      expect(refused.kind).toBe('max_steps_reached');
      expect(await ids(rig.store, keyHash)).toEqual(['one']);
    });

    it('are each of its own key', async () => {
      const rig = start({ maxLive: 1 });
      const [mine, theirs] = [newKeyHash(), newKeyHash()];
      await made(rig, mine, 'one', true);
      await made(rig, theirs, 'two', true);
      expect([await ids(rig.store, mine), await ids(rig.store, theirs)]).toEqual([['one'], ['two']]);
    });
  });

  describe('the answer of a call', () => {
    it('gives a session its whole life', async () => {
      const { store } = start();
      const step = call(newName());
      const { createdAt, ...session } = opened(await store.open(step));
      expect(session).toMatchObject({ answered: false, lifeMs: UNANSWERED_LIFE_MS });
      await store.noteAnswered(step, createdAt, undefined);
      expect(await store.peek(step)).toMatchObject({ answered: true, lifeMs: DAY_MS });
      expect(opened(await store.open(call(step)))).toMatchObject({ answered: true, lifeMs: DAY_MS });
    });

    it('of an MCP server does so too, where it was 2xx', async () => {
      const { store } = start();
      const step = call(newName());
      const { createdAt } = opened(await store.open(step));
      await store.keep(call(step), createdAt, 'read_file', false);
      expect(await store.peek(step)).toMatchObject({ answered: false, toolsCalled: ['read_file'] });
      await store.keep(call(step), createdAt, 'read_file', true);
      expect(await store.peek(step)).toMatchObject({ answered: true });
    });

    it('of an earlier life of the session does not', async () => {
      const { store, wait } = start();
      const name = newName();
      const { createdAt } = opened(await store.open(call(name)));
      await store.end(name);
      await wait(5);
      await store.open(call(name));
      await store.noteAnswered(name, createdAt, undefined);
      expect(await store.peek(name)).toMatchObject({ answered: false });
    });

    it('may be long in coming: a call that is renewed keeps its session alive', async () => {
      const { store, wait } = start({ ttlMs: 1_000 });
      const step = call(newName());
      const { createdAt } = opened(await store.open(step));
      for (let nth = 0; nth < 3; nth++) {
        await wait(600);
        await store.renew(step, createdAt);
      }
      expect(await store.peek(step)).toMatchObject({ createdAt, steps: 1 });
      await wait(1_100);
      expect(await store.peek(step)).toBeUndefined();
    });
  });

  describe('the first user request', () => {
    it('is written once, however many come at once', async () => {
      const { store } = start();
      const name = newName();
      const { createdAt } = opened(await store.open(call(name)));
      const texts = Array.from({ length: 100 }, (_, nth) => `turn ${String(nth)}`);
      await Promise.all(texts.map((text) => store.noteAnswered(name, createdAt, text)));
      const first = (await store.read(name))?.anchor;
      expect(texts).toContain(first);
      await store.noteAnswered(name, createdAt, 'another');
      expect((await store.read(name))?.anchor).toBe(first);
      expect(await store.open(call(name))).toMatchObject({ kind: 'opened', anchored: true });
    });

    it('is not written into a session that has ended, nor into the next of its name', async () => {
      const { store, wait } = start();
      const name = newName();
      const { createdAt } = opened(await store.open(call(name)));
      await store.end(name);
      await store.noteAnswered(name, createdAt, 'too late');
      expect(await store.read(name)).toBeUndefined();
      await wait(5);
      expect(await store.open(call(name))).toMatchObject({ anchored: false });
      await store.noteAnswered(name, createdAt, 'too late');
      expect((await store.read(name))?.anchor).toBeUndefined();
    });
  });
}
