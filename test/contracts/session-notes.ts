import { describe, expect, it } from 'vitest';
import { MAX_NOTES, type SessionLimits } from '../../src/checks/session/store.ts';
import type { SessionName } from '../../src/conversation/session-name.ts';

import {
  call,
  newName,
  opened,
  openNew,
  starting,
  type ContractOptions,
  type StoreUnderTest,
} from './session-rig.ts';

/** Tests for every session store: notes in a session, its state and its calls. */
export function sessionNotesContract(create: (options: Required<ContractOptions>) => StoreUnderTest): void {
  const start = starting(create);

  describe('taints and tools', () => {
    it('are recorded once each, in order, and returned to every later call', async () => {
      const { store } = start();
      const { name, createdAt } = await openNew(store);
      expect(await store.addTaint(call(name), 'secret_accessed')).toBe('added');
      expect(await store.addTaint(call(name), 'secret_accessed')).toBe('known');
      expect(await store.keep(call(name), createdAt, 'read_file', true)).toBe('added');
      expect(await store.keep(call(name), createdAt, 'a:b\nc', true)).toBe('added');
      expect(await store.keep(call(name), createdAt, 'read_file', true)).toBe('known');
      expect(await store.keep(call(name), createdAt, undefined, true)).toBe('known');
      const noted = { taintFlags: ['secret_accessed'], toolsCalled: ['read_file', 'a:b\nc'], kept: true };
      expect(opened(await store.open(call(name)))).toMatchObject(noted);
      expect(await store.peek(name)).toMatchObject(noted);
    });

    it('get the first answer again under the same operation', async () => {
      const { store } = start();
      const { step, createdAt } = await openNew(store);
      expect(await store.addTaint(step, 'a')).toBe('added');
      expect(await store.addTaint(step, 'a')).toBe('added');
      expect(await store.keep(step, createdAt, 'a', true)).toBe('added');
      expect(await store.keep(step, createdAt, 'a', true)).toBe('added');
    });

    it('are bounded in number and length, and the bound is reported', async () => {
      const { store } = start();
      const { name, createdAt } = await openNew(store);
      const long = (nth: number): string => `${String(nth)}-${'x'.repeat(500)}`;
      for (let nth = 0; nth < MAX_NOTES.tool; nth++) {
        expect(await store.keep(call(name), createdAt, long(nth), true)).toBe('added');
      }
      expect(await store.keep(call(name), createdAt, 'one more', true)).toBe('full');
      expect(await store.keep(call(name), createdAt, long(7), true)).toBe('known');
      for (let nth = 0; nth < MAX_NOTES.taint; nth++) {
        expect(await store.addTaint(call(name), long(nth))).toBe('added');
      }
      expect(await store.addTaint(call(name), 'one more')).toBe('full');
      const { toolsCalled, taintFlags } = opened(await store.open(call(name)));
      expect([toolsCalled.length, taintFlags.length]).toEqual([256, 64]);
      for (const note of [...toolsCalled, ...taintFlags]) expect(note).toHaveLength(128);
    });

    it('open no session', async () => {
      const { store } = start();
      const name = newName();
      expect(await store.addTaint(call(name), 'a')).toBe('gone');
      expect(await store.keep(call(name), 1, 'a', true)).toBe('gone');
      expect(await store.read(name)).toBeUndefined();
    });

    it('of an earlier life of the session are not in the next one', async () => {
      const { store, wait } = start();
      const { name, createdAt } = await openNew(store);
      await store.end(name);
      await wait(5);
      await store.open(call(name));
      expect(await store.keep(call(name), createdAt, 'a', true)).toBe('gone');
      expect(await store.peek(name)).toMatchObject({ toolsCalled: [], kept: false });
    });
  });

  describe('marks', () => {
    it('are recorded once each, in order, and separate from taints and tools', async () => {
      const { store } = start();
      const { name } = await openNew(store);
      const step = call(name);
      expect(await store.addMark(step, 'a')).toBe('added');
      expect(await store.addMark(step, 'a')).toBe('added');
      expect(await store.addMark(call(name), 'a')).toBe('known');
      expect(await store.addMark(call(name), 'b')).toBe('added');
      expect(await store.peek(name)).toMatchObject({
        marks: ['a', 'b'],
        taintFlags: [],
        toolsCalled: [],
        kept: true,
      });
    });

    it('are bounded in number and length, and open no session', async () => {
      const { store } = start();
      const name = newName();
      expect(await store.addMark(call(name), 'a')).toBe('gone');
      await store.open(call(name));
      for (let nth = 0; nth < MAX_NOTES.mark; nth++) {
        expect(await store.addMark(call(name), `${String(nth)}-${'x'.repeat(500)}`)).toBe('added');
      }
      expect(await store.addMark(call(name), 'one more')).toBe('full');
      const marks = (await store.peek(name))?.marks ?? [];
      expect(marks).toHaveLength(64);
      for (const mark of marks) expect(mark).toHaveLength(128);
    });
  });

  describe('the state', () => {
    async function begun(options?: ContractOptions) {
      const rig = start(options);
      const name = newName();
      const { createdAt } = opened(await rig.store.open(call(name)));
      const state = async () => (await rig.store.peek(name))?.state;
      return { ...rig, name, createdAt, state };
    }

    it('moves from the one that a call was judged in, and from no other', async () => {
      const { store, name, createdAt, state } = await begun();
      const move = (from: string | undefined, to: string) =>
        store.moveState(call(name), createdAt, { from, to });
      expect(await move('A', 'B')).toEqual({ kind: 'conflict', state: undefined });
      expect(await move(undefined, 'A')).toEqual({ kind: 'moved' });
      expect(await move(undefined, 'B')).toEqual({ kind: 'conflict', state: 'A' });
      expect(await move('A', 'B')).toEqual({ kind: 'moved' });
      expect(await move('A', 'C')).toEqual({ kind: 'conflict', state: 'B' });
      expect(opened(await store.open(call(name))).state).toBe('B');
      expect(await state()).toBe('B');
    });

    it('is moved by exactly one of 50 simultaneous calls', async () => {
      const { store, name, createdAt, state } = await begun();
      const results = await Promise.all(
        Array.from({ length: 50 }, () =>
          store.moveState(call(name), createdAt, { from: undefined, to: 'USED' }),
        ),
      );
      expect(results.filter(({ kind }) => kind === 'moved')).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === 'conflict')).toHaveLength(49);
      expect(await state()).toBe('USED');
    });

    it('moves once under one operation, even if others have moved it since', async () => {
      const { store, name, createdAt, state } = await begun();
      const step = call(name);
      const move = { from: undefined, to: 'A' };
      expect(await store.moveState(step, createdAt, move)).toEqual({ kind: 'moved' });
      expect(await store.moveState(step, createdAt, move)).toEqual({ kind: 'moved' });
      await store.moveState(call(name), createdAt, { from: 'A', to: 'B' });
      expect(await store.moveState(step, createdAt, move)).toEqual({ kind: 'moved' });
      expect(await state()).toBe('B');
    });

    it('remembers its last 16 moves', async () => {
      const { store, name, createdAt, state } = await begun();
      const first = call(name);
      const moves = Array.from({ length: 17 }, (_, nth) => ({
        from: nth === 0 ? undefined : `S${String(nth - 1)}`,
        to: `S${String(nth)}`,
      }));
      const [move = { from: undefined, to: '' }, ...others] = moves;
      await store.moveState(first, createdAt, move);
      for (const next of others.slice(0, 15)) await store.moveState(call(name), createdAt, next);
      expect(await store.moveState(first, createdAt, move)).toEqual({ kind: 'moved' });
      for (const next of others.slice(15)) await store.moveState(call(name), createdAt, next);
      expect(await store.moveState(first, createdAt, move)).toEqual({ kind: 'conflict', state: 'S16' });
      expect(await state()).toBe('S16');
    });

    it('moves back, once', async () => {
      const { store, name, createdAt, state } = await begun();
      const [one, two] = [call(name), call(name)];
      await store.moveState(one, createdAt, { from: undefined, to: 'A' });
      await store.moveState(two, createdAt, { from: 'A', to: 'B' });
      await store.moveBack(two, createdAt, { from: 'A', to: 'B' });
      expect(await state()).toBe('A');
      await store.moveState(call(name), createdAt, { from: 'A', to: 'B' });
      await store.moveBack(two, createdAt, { from: 'A', to: 'B' });
      expect(await state()).toBe('B');
    });

    it('moves all the way back to none, in the order in which its calls were abandoned', async () => {
      const { store, name, createdAt, state } = await begun();
      const [one, two] = [call(name), call(name)];
      const [first, second] = [
        { from: undefined, to: 'A' },
        { from: 'A', to: 'B' },
      ];
      await store.moveState(one, createdAt, first);
      await store.moveState(two, createdAt, second);
      await store.moveBack(two, createdAt, second);
      await store.moveBack(one, createdAt, first);
      expect(await state()).toBeUndefined();
    });

    it('does not move back if others have moved it since, even to the same state', async () => {
      const { store, name, createdAt, state } = await begun();
      const step = call(name);
      await store.moveState(step, createdAt, { from: undefined, to: 'A' });
      await store.moveState(call(name), createdAt, { from: 'A', to: 'B' });
      await store.moveState(call(name), createdAt, { from: 'B', to: 'A' });
      await store.moveBack(step, createdAt, { from: undefined, to: 'A' });
      expect(await state()).toBe('A');
    });

    it('taken back before it was moved does not move', async () => {
      const { store, name, createdAt, state } = await begun();
      const step = call(name);
      await store.moveBack(step, createdAt, { from: undefined, to: 'A' });
      expect(await store.moveState(step, createdAt, { from: undefined, to: 'A' })).toEqual({ kind: 'gone' });
      expect(await state()).toBeUndefined();
    });

    it('keeps a session without a step, until it has moved back', async () => {
      const { store } = start();
      const name = newName();
      const [taken, mover] = [call(name), call(name)];
      const { createdAt } = opened(await store.open(taken));
      await store.moveState(mover, createdAt, { from: undefined, to: 'A' });
      await store.leave(taken, createdAt);
      expect(await store.peek(name)).toMatchObject({ steps: 0, state: 'A' });
      await store.moveBack(mover, createdAt, { from: undefined, to: 'A' });
      const next = call(name);
      await store.open(next);
      await store.leave(next, createdAt);
      expect(await store.peek(name)).toBeUndefined();
    });

    it('of an earlier life of the session moves nothing, neither forward nor back', async () => {
      const { store, wait, name, createdAt, state } = await begun();
      const step = call(name);
      const move = { from: undefined, to: 'A' };
      await store.moveState(step, createdAt, move);
      await store.end(name);
      expect(await store.moveState(call(name), createdAt, move)).toEqual({ kind: 'gone' });
      await wait(5);
      const next = opened(await store.open(call(name)));
      expect(next.state).toBeUndefined();
      expect(await store.moveState(call(name), createdAt, move)).toEqual({ kind: 'gone' });
      await store.moveState(call(name), next.createdAt, move);
      await store.moveBack(step, createdAt, move);
      expect(await state()).toBe('A');
    });

    it('delays the expiry of an idle session by its moves, and is removed with it', async () => {
      const { store, wait, name, createdAt, state } = await begun({ ttlMs: 1_000 });
      await wait(600);
      await store.moveState(call(name), createdAt, { from: undefined, to: 'A' });
      await wait(600);
      expect(await state()).toBe('A');
      await wait(600);
      expect(await store.peek(name)).toBeUndefined();
      expect(opened(await store.open(call(name))).state).toBeUndefined();
    });

    it('has a name of 1 to 128 characters', async () => {
      const { store, name, createdAt, state } = await begun();
      const longest = 'é'.repeat(128);
      const move = (to: string) => store.moveState(call(name), createdAt, { from: undefined, to });
      await expect(move('')).rejects.toThrow(RangeError);
      await expect(move(`${longest}x`)).rejects.toThrow(RangeError);
      expect(await move(longest)).toEqual({ kind: 'moved' });
      expect(await state()).toBe(longest);
    });
  });

  describe('calls of MCP servers', () => {
    const mcpCall = (name: SessionName, limits: Partial<SessionLimits> = {}) =>
      ({ ...call(name, limits), isMcpCall: true }) as const;

    it('open a session, tighten its limits, and take no step', async () => {
      const { store } = start();
      const name = newName();
      expect(await store.peek(name)).toBeUndefined();
      const session = opened(await store.open(mcpCall(name, { maxSteps: 1, budgetNanoUsd: 7 })));
      expect(session).toMatchObject({
        steps: 0,
        maxSteps: 1,
        budgetNanoUsd: 7,
        kept: false,
        state: undefined,
      });
      expect(await store.peek(name)).toEqual(session);
      await store.open(mcpCall(name));
      expect(opened(await store.open(call(name))).steps).toBe(1);
      expect(await store.open(call(name))).toMatchObject({ kind: 'max_steps_reached' });
    });

    it('are refused by no limit of steps or spend', async () => {
      const { store, spend } = start();
      const name = newName();
      await store.open(call(name, { maxSteps: 1, budgetNanoUsd: 5 }));
      await spend(name, 5);
      expect(await store.open(mcpCall(name))).toMatchObject({ kind: 'opened', session: { steps: 1 } });
      expect(await store.open(mcpCall(newName(), { maxSteps: 0 }))).toMatchObject({ kind: 'opened' });
    });

    it('open no more sessions than a key may have', async () => {
      const { store } = start({ maxPerKey: 1 });
      const name = newName();
      await store.open(mcpCall(name));
      const other = { ...name, sessionId: 'two' };
      expect(await store.open(mcpCall(other))).toEqual({ kind: 'too_many_sessions', liveSessions: 1 });
    });

    it('are returned like steps, once, and leave no unused session behind', async () => {
      const { store } = start();
      const name = newName();
      const one = mcpCall(name);
      const { createdAt } = opened(await store.open(one));
      const two = mcpCall(name);
      await store.open(two);
      expect(await store.open(two)).toMatchObject({ kind: 'opened' });
      await store.leave(one, createdAt);
      await store.leave(one, createdAt);
      expect(await store.peek(name)).toBeDefined();
      await store.leave(two, undefined);
      expect(await store.peek(name)).toBeUndefined();
      expect(await store.open(two)).toEqual({ kind: 'closed' });
    });

    it('keep a session without steps, and one in which they have recorded something', async () => {
      const { store } = start();
      const name = newName();
      const step = call(name);
      const { createdAt } = opened(await store.open(step));
      const running = mcpCall(name);
      await store.open(running);
      await store.leave(step, createdAt);
      expect(await store.peek(name)).toMatchObject({ steps: 0 });
      await store.keep(running, createdAt, 'read_file', true);
      await store.leave(running, createdAt);
      expect(await store.peek(name)).toMatchObject({ steps: 0, toolsCalled: ['read_file'] });
      const denied = call(name);
      await store.open(denied);
      await store.leave(denied, createdAt);
      expect(await store.peek(name)).toMatchObject({ steps: 0, toolsCalled: ['read_file'] });
    });

    it('delay the expiry of an idle session when they are answered', async () => {
      const { store, wait } = start({ ttlMs: 1_000 });
      const name = newName();
      const running = mcpCall(name);
      const { createdAt } = opened(await store.open(running));
      await store.noteAnswered(name, createdAt, 'first');
      for (let nth = 0; nth < 3; nth++) {
        await wait(600);
        expect(await store.keep(running, createdAt, undefined, true)).toBe('known');
      }
      await wait(600);
      expect(await store.read(name)).toMatchObject({ anchor: 'first' });
      await wait(500);
      expect(await store.peek(name)).toBeUndefined();
      expect(await store.keep(running, createdAt, 'a', true)).toBe('gone');
    });
  });

  describe('open calls', () => {
    it('are counted from their start to their end, each once', async () => {
      const { store } = start();
      const name = newName();
      const running = async () => (await store.read(name))?.callsInFlight;
      const [one, two, given] = [call(name), call(name), call(name)];
      const { createdAt } = opened(await store.open(one));
      for (const step of [one, two, given]) await store.open(step);
      expect(await running()).toBe(3);
      await store.renew(one, createdAt);
      await store.leave(given, createdAt);
      expect(await running()).toBe(2);
      await store.noteAnswered(name, createdAt, undefined);
      for (const step of [one, two, two]) await store.finish(step, createdAt);
      expect(await running()).toBe(0);
    });
  });

  describe('ending a session', () => {
    it('removes it, and reports an unknown one', async () => {
      const { store } = start();
      const { name, createdAt } = await openNew(store, { maxSteps: 1 });
      await store.noteAnswered(name, createdAt, 'first');
      expect(await store.end(name)).toBe(true);
      expect(await store.end(name)).toBe(false);
      expect(await store.read(name)).toBeUndefined();
      expect(await store.open(call(name))).toMatchObject({ kind: 'opened', session: { steps: 1 } });
    });
  });
}
