import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DEFAULT_PATIENCE, HEARTBEAT_MS, watchHeartbeat } from '../../../src/runtime/heartbeat.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const PATIENCE = { tickMs: 10, ticks: 3, startTicks: 9 };

function watched() {
  let silences = 0;
  const heartbeat = watchHeartbeat(PATIENCE, () => (silences += 1));
  return {
    heartbeat,
    /** Ticks at which it was found silent. */
    after(ticks: number): number {
      vi.advanceTimersByTime(ticks * PATIENCE.tickMs);
      return silences;
    },
  };
}

it('a process that loads may be silent for longer than one that serves', () => {
  const { heartbeat, after } = watched();
  heartbeat.begin();
  expect([after(8), after(1), after(20)]).toEqual([0, 1, 1]);
  heartbeat.begin();
  heartbeat.serves();
  expect([after(2), after(1), after(20)]).toEqual([1, 2, 2]);
});

it('each message restarts the wait', () => {
  const { heartbeat, after } = watched();
  heartbeat.begin();
  heartbeat.serves();
  for (let word = 0; word < 5; word += 1) {
    expect(after(2)).toBe(0);
    heartbeat.beat();
  }
  expect(after(3)).toBe(1);
});

it('the next process has the same time to load as the first', () => {
  const { heartbeat, after } = watched();
  heartbeat.begin();
  heartbeat.serves();
  after(2);
  heartbeat.begin();
  expect([after(8), after(1)]).toEqual([0, 1]);
});

it('nothing is watched after the end', () => {
  const { heartbeat, after } = watched();
  heartbeat.begin();
  heartbeat.end();
  expect(after(100)).toBe(0);
});

it('a worker sends far more often than it must', () => {
  expect(DEFAULT_PATIENCE.ticks * DEFAULT_PATIENCE.tickMs).toBeGreaterThanOrEqual(10 * HEARTBEAT_MS);
  expect(DEFAULT_PATIENCE).toEqual({ tickMs: 1_000, ticks: 15, startTicks: 90 });
});
