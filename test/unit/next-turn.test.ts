import { describe, expect, it } from 'vitest';
import { nextTurn } from '../../src/next-turn.ts';

/** Counts turns of the event loop until `stop`. */
function countTurns(): { readonly turn: () => number; stop(): void } {
  let turn = 0;
  let immediate = setImmediate(function count() {
    turn += 1;
    immediate = setImmediate(count);
  });
  return { turn: () => turn, stop: () => clearImmediate(immediate) };
}

describe('nextTurn', () => {
  it('gives each of many a turn of its own, in order, round after round', async () => {
    const turns = countTurns();
    const log: string[] = [];
    const given: number[] = [];
    await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        for (let round = 0; round < 3; round += 1) {
          await nextTurn();
          log.push(name);
          given.push(turns.turn());
        }
      }),
    );
    turns.stop();
    expect(log.join('')).toBe('abcabcabc');
    expect(new Set(given).size).toBe(given.length);
  });

  it('lets timers and what arrives run between turns', async () => {
    let fired = false;
    setTimeout(() => (fired = true), 1);
    const startedMs = performance.now();
    while (!fired && performance.now() - startedMs < 5_000) await nextTurn();
    expect(fired).toBe(true);
  });
});
