import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { giveBackMemory } from '../../../src/runtime/give-back-memory.ts';

it('collects unused objects, and keeps used ones', async () => {
  const held = { kind: 'held' };
  const refs = { held: new WeakRef(held), left: new WeakRef({ kind: 'left' }) };
  // The target of a new weak reference is kept until the turn is over.
  await nextTurn();
  giveBackMemory();
  expect(refs.left.deref()).toBeUndefined();
  expect(refs.held.deref()).toBe(held);
});
