import { describe, expect, it } from 'vitest';
import { UNANSWERED_LIFE_MS } from '../../src/conversation/session-name.ts';
import type { SessionLimits } from '../../src/checks/session/store.ts';

import {
  call,
  countOf,
  DAY_MS,
  newName,
  opened,
  openNew,
  starting,
  type ContractOptions,
  type StoreUnderTest,
} from './session-rig.ts';

/** Tests for every session store: a session's steps, limits and life. */
export function sessionStoreContract(create: (options: Required<ContractOptions>) => StoreUnderTest): void {
  const start = starting(create);

  describe('steps', () => {
    it('count from one, and begin in the initial state with no notes', async () => {
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

    it('admit exactly 10 of 200 parallel calls with a maximum of 10', async () => {
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

    it('of two keys with sessions of one name are separate', async () => {
      const { store } = start();
      await store.open(call(newName(), { maxSteps: 1 }));
      expect(await store.open(call(newName()))).toMatchObject({ kind: 'opened', session: { steps: 1 } });
    });

    it('with a maximum of 0 are refused, and leave no session', async () => {
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
    it('are set by the first request that names them, and can only be tightened', async () => {
      const { store } = start();
      const name = newName();
      const ask = async (limits: Partial<SessionLimits>) => opened(await store.open(call(name, limits)));
      expect(await ask({})).toMatchObject({ maxSteps: undefined, budgetNanoUsd: undefined });
      expect(await ask({ maxSteps: 50 })).toMatchObject({ maxSteps: 50, budgetNanoUsd: undefined });
      expect(await ask({ maxSteps: 60, budgetNanoUsd: 7 })).toMatchObject({ maxSteps: 50, budgetNanoUsd: 7 });
      expect(await ask({ maxSteps: 40, budgetNanoUsd: 9 })).toMatchObject({ maxSteps: 40, budgetNanoUsd: 7 });
      expect(await ask({})).toMatchObject({ maxSteps: 40, budgetNanoUsd: 7 });
    });

    it('are tightened by a call that they refuse', async () => {
      const { store } = start();
      const name = newName();
      await store.open(call(name, { maxSteps: 50 }));
      await store.open(call(name));
      expect(await store.open(call(name, { maxSteps: 2 }))).toMatchObject({ kind: 'max_steps_reached' });
      expect(await store.open(call(name))).toMatchObject({ kind: 'max_steps_reached' });
    });

    it('are capped at the highest amount', async () => {
      const { store } = start();
      const limits = { maxSteps: 1_000_000_000, budgetNanoUsd: 9_000_000_000_000_000 };
      expect(opened(await store.open(call(newName(), limits)))).toMatchObject(limits);
    });

    it('of spend refuse once reached, and the spend is reported', async () => {
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

    it('of 0 USD admit nothing', async () => {
      const { store } = start();
      expect(await store.open(call(newName(), { budgetNanoUsd: 0 }))).toMatchObject({ kind: 'budget_spent' });
    });
  });

  describe('returning a step', () => {
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

    it('twice returns one', async () => {
      const { store } = start();
      const { name } = await openNew(store);
      await store.open(call(name));
      const third = call(name);
      const { createdAt } = opened(await store.open(third));
      await Promise.all([store.leave(third, createdAt), store.leave(third, createdAt)]);
      await store.leave(third, createdAt);
      expect((await store.read(name))?.session.steps).toBe(2);
    });

    it('works if the answer to the opening was lost', async () => {
      const { store } = start();
      const { name } = await openNew(store);
      const lost = call(name);
      await store.open(lost);
      await store.leave(lost, undefined);
      expect((await store.read(name))?.session.steps).toBe(1);
    });

    it('before it was taken prevents it from being taken', async () => {
      const { store } = start();
      const step = call(newName());
      await store.leave(step, undefined);
      expect(await store.open(step)).toEqual({ kind: 'closed' });
      expect(await store.list(step.keyHash)).toEqual([]);
    });

    it('removes a session without any steps left', async () => {
      const { store } = start({ maxPerKey: 1 });
      const { step, createdAt } = await openNew(store, { maxSteps: 1 });
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

    it('of an MCP server does so too, if it was 2xx', async () => {
      const { store } = start();
      const { step, createdAt } = await openNew(store);
      await store.keep(call(step), createdAt, 'read_file', false);
      expect(await store.peek(step)).toMatchObject({ answered: false, toolsCalled: ['read_file'] });
      await store.keep(call(step), createdAt, 'read_file', true);
      expect(await store.peek(step)).toMatchObject({ answered: true });
    });

    it('of an earlier life of the session does not', async () => {
      const { store, wait } = start();
      const { name, createdAt } = await openNew(store);
      await store.end(name);
      await wait(5);
      await store.open(call(name));
      await store.noteAnswered(name, createdAt, undefined);
      expect(await store.peek(name)).toMatchObject({ answered: false });
    });

    it('may take long: a renewed call keeps its session alive', async () => {
      const { store, wait } = start({ ttlMs: 1_000 });
      const { step, createdAt } = await openNew(store);
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
    it('is written once, however many arrive at the same time', async () => {
      const { store } = start();
      const { name, createdAt } = await openNew(store);
      const texts = Array.from({ length: 100 }, (_, nth) => `turn ${String(nth)}`);
      await Promise.all(texts.map((text) => store.noteAnswered(name, createdAt, text)));
      const first = (await store.read(name))?.anchor;
      expect(texts).toContain(first);
      await store.noteAnswered(name, createdAt, 'another');
      expect((await store.read(name))?.anchor).toBe(first);
      expect(await store.open(call(name))).toMatchObject({ kind: 'opened', anchored: true });
    });

    it('is not written into an ended session, nor into the next one of its name', async () => {
      const { store, wait } = start();
      const { name, createdAt } = await openNew(store);
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
