import { describe, expect, it } from 'vitest';
import type { SessionStore } from '../../src/checks/session/store.ts';

import {
  call,
  countOf,
  newKeyHash,
  newName,
  opened,
  openNew,
  starting,
  type ContractOptions,
  type StoreUnderTest,
} from './session-rig.ts';

/** Tests for every session store: which session makes room for another. */
export function sessionRoomContract(create: (options: Required<ContractOptions>) => StoreUnderTest): void {
  const start = starting(create);

  describe('sessions of one key', () => {
    it('are limited in number: 200 parallel new ones, 10 allowed', async () => {
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

    it('continue at the maximum number; one that ends makes room', async () => {
      const { store } = start({ maxPerKey: 1 });
      const name = newName();
      const other = { ...name, sessionId: 'two' };
      await store.open(call(name));
      expect(await store.open(call(name))).toMatchObject({ kind: 'opened' });
      expect(await store.open(call(other))).toMatchObject({ kind: 'too_many_sessions' });
      expect(await store.end(name)).toBe(true);
      expect(await store.open(call(other))).toMatchObject({ kind: 'opened' });
    });

    it('expire after idling for their life, and start again', async () => {
      const { store, wait } = start({ maxPerKey: 1, ttlMs: 1_000 });
      const { name, createdAt } = await openNew(store, { maxSteps: 5, budgetNanoUsd: 7 });
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

    it('are listed, most recently used first', async () => {
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

  describe('sessions of a key without its own limit', () => {
    const named = (keyHash: string, sessionId: string) => call({ keyHash, sessionId });
    const ids = async (store: SessionStore, keyHash: string): Promise<string[]> =>
      (await store.list(keyHash)).map(({ id }) => id).sort();

    /** A finished call. */
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

    it('make room first if no call in them was answered', async () => {
      const rig = start({ maxLive: 3 });
      const keyHash = newKeyHash();
      await made(rig, keyHash, 'answered', true);
      for (const id of ['a', 'b', 'c', 'd', 'e']) await made(rig, keyHash, id, false);
      expect(await ids(rig.store, keyHash)).toEqual(['answered', 'd', 'e']);
    });

    it('are never removed with an open call, and if each has one, a new one is refused', async () => {
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

    it('keep their limits as long as they live, and start again after removal', async () => {
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

    it('are refused before others make room, if their own limits admit nothing', async () => {
      const rig = start({ maxLive: 1 });
      const keyHash = newKeyHash();
      await made(rig, keyHash, 'one', true);
      const refused = await rig.store.open(call({ keyHash, sessionId: 'two' }, { maxSteps: 0 }));
      expect(refused.kind).toBe('max_steps_reached');
      expect(await ids(rig.store, keyHash)).toEqual(['one']);
    });

    it('belong to their own keys', async () => {
      const rig = start({ maxLive: 1 });
      const [mine, theirs] = [newKeyHash(), newKeyHash()];
      await made(rig, mine, 'one', true);
      await made(rig, theirs, 'two', true);
      expect([await ids(rig.store, mine), await ids(rig.store, theirs)]).toEqual([['one'], ['two']]);
    });
  });
}
