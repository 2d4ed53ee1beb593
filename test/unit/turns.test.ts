import { describe, expect, it } from 'vitest';
import { inTurns, isTurnOver, LONG_STEP, nextTurn, runNow, type Work } from '../../src/turns.ts';

/** Counts turns of the event loop until `stop`. */
function countTurns(): { readonly turn: () => number; stop(): void } {
  let turn = 0;
  let immediate = setImmediate(function count() {
    turn += 1;
    immediate = setImmediate(count);
  });
  return { turn: () => turn, stop: () => clearImmediate(immediate) };
}

function busy(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

/** Steps of a given duration, which record their turns. */
function* steps(count: number, ms: number, done: () => void, weight?: number): Work<string> {
  for (let step = 0; step < count; step += 1) {
    busy(ms);
    done();
    yield weight;
  }
  return 'done';
}

/** Returns how often the most frequent number occurs. */
function mostInOne(turns: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const turn of turns) counts.set(turn, (counts.get(turn) ?? 0) + 1);
  return Math.max(...counts.values());
}

describe('nextTurn', () => {
  it('gives each of many callers a turn of its own, in order, round after round', async () => {
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

  it('lets timers and incoming events run between turns', async () => {
    let fired = false;
    setTimeout(() => (fired = true), 1);
    const startedMs = performance.now();
    while (!fired && performance.now() - startedMs < 5_000) await nextTurn();
    expect(fired).toBe(true);
  });
});

describe('work in steps', () => {
  it('runs at once with inTurns if it is short, and always with runNow', async () => {
    await nextTurn();
    let count = 0;
    expect(inTurns(steps(3, 0, () => (count += 1)))).toBe('done');
    expect(runNow(steps(20, 1, () => (count += 1)))).toBe('done');
    expect(count).toBe(23);
  });

  it('limits the characters of a turn, however fast they are read', async () => {
    await nextTurn();
    const turns = countTurns();
    const given: number[] = [];
    await inTurns(steps(40, 0, () => given.push(turns.turn()), 16_384));
    turns.stop();
    expect(mostInOne(given)).toBeLessThanOrEqual(3);
  });

  it('exceeds a turn by at most one step, however many tasks run at once', async () => {
    await nextTurn();
    const turns = countTurns();
    const given: number[] = [];
    const works = ['a', 'b', 'c', 'd'].map(() => inTurns(steps(10, 3, () => given.push(turns.turn()))));
    expect(await Promise.all(works)).toEqual(['done', 'done', 'done', 'done']);
    turns.stop();
    expect(given).toHaveLength(40);
    // Eight milliseconds end within the third step of three. Each task runs one step before the check.
    expect(mostInOne(given)).toBeLessThanOrEqual(3 + 3);
    expect(new Set(given).size).toBeGreaterThanOrEqual(11);
  });

  it('looks at the clock even if each step reports few characters', async () => {
    await nextTurn();
    const turns = countTurns();
    const given: number[] = [];
    await inTurns(steps(400, 0.2, () => given.push(turns.turn()), 0));
    turns.stop();
    expect(mostInOne(given)).toBeLessThan(8 / 0.2 + 100);
    expect(new Set(given).size).toBeGreaterThan(3);
  });

  it('runs a long step in a turn of its own', async () => {
    const turns = countTurns();
    const given: number[] = [];
    await inTurns(steps(4, 0, () => given.push(turns.turn()), LONG_STEP));
    turns.stop();
    expect(new Set(given).size).toBe(4);
  });

  it('starts with a new clock in each turn', async () => {
    await nextTurn();
    busy(10);
    expect(isTurnOver()).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 2));
    expect(isTurnOver()).toBe(false);
  });

  it('fails if a step fails, in any turn', async () => {
    function* failing(): Work<never> {
      yield LONG_STEP;
      throw new Error('no');
    }
    await expect(inTurns(failing())).rejects.toThrow('no');
  });
});
