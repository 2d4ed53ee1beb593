import { describe, expect, it } from 'vitest';
import { RecentMap } from '../../src/recent-map.ts';
import { quickestCpuMs } from '../support/cpu-time.ts';

describe('a map of recent entries', () => {
  it('forgets the least recently used entry', () => {
    const map = new RecentMap<number>(2);
    map.set('a', 1);
    map.set('b', 2);
    expect(map.get('a')).toBe(1);
    map.set('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
  });

  it('holds an entry once, with its latest value', () => {
    const map = new RecentMap<number>(2);
    map.set('a', 1);
    map.set('a', 2);
    map.set('b', 3);
    expect([map.get('a'), map.get('b')]).toEqual([2, 3]);
  });

  it('forgets several of the oldest at once, and never exceeds its limit', () => {
    const map = new RecentMap<number>(64);
    for (let index = 0; index < 65; index += 1) map.set(String(index), index);
    const held = Array.from({ length: 65 }, (_, index) => map.get(String(index)));
    expect(held).toEqual([...Array<undefined>(4), ...Array.from({ length: 61 }, (_, index) => index + 4)]);
  });

  it('adds an entry as quickly when full as before', () => {
    const most = 16_384;
    const map = new RecentMap<number>(most);
    let index = 0;
    function fill(): void {
      for (const end = index + most; index < end; index += 1) map.set(`entry ${String(index)}`, index);
    }
    fill();
    expect(quickestCpuMs(fill, 4)).toBeLessThan(40);
  });
});
