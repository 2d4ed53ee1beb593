import { describe, expect, it } from 'vitest';
import { RecentMap } from '../../src/recent-map.ts';

describe('a map of recent entries', () => {
  it('forgets what was not used for longest', () => {
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
});
