import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAnonymousLines } from '../../../src/telemetry/anonymous-lines.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 600_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

function start() {
  const told: number[] = [];
  const lines = createAnonymousLines({ maxPerMinute: 3, onUnlogged: (requests) => told.push(requests) });
  const take = (times: number, address = '192.0.2.7'): boolean[] =>
    Array.from({ length: times }, () => lines.take(address));
  return { lines, take, told };
}

describe('requests without a valid key', () => {
  it('write a line each up to the limit of their address; the rest is counted after a minute', () => {
    const { take, told } = start();
    expect(take(5)).toEqual([true, true, true, false, false]);
    expect(take(1, '198.51.100.1')).toEqual([true]);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(60_000);
    expect(told).toEqual([2]);
    vi.advanceTimersByTime(600_000);
    expect(told).toEqual([2]);
  });

  it('may write again in the next minute', () => {
    const { take, told } = start();
    take(10);
    vi.advanceTimersByTime(60_000);
    expect(take(4)).toEqual([true, true, true, false]);
    vi.advanceTimersByTime(60_000);
    expect(told).toEqual([7, 1]);
  });

  it('are counted once before the process ends', () => {
    const { lines, take, told } = start();
    take(10);
    lines.flush();
    vi.advanceTimersByTime(60_000);
    expect(told).toEqual([7]);
  });

  it('of more addresses than are remembered write no lines', () => {
    const { take } = start();
    for (let host = 0; host < 20_000; host++) take(1, `10.0.${String(host >> 8)}.${String(host & 255)}`);
    expect(take(1, '192.0.2.99')).toEqual([false]);
    expect(take(1, '10.0.0.1')).toEqual([true]);
  });
});
