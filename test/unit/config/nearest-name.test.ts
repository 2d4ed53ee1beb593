import { describe, expect, it } from 'vitest';
import { editDistance, nearestName } from '../../../src/config/nearest-name.ts';

describe('the distance between two names', () => {
  it.each([
    ['', '', 0],
    ['port', 'port', 0],
    ['prot', 'port', 1],
    ['pot', 'port', 1],
    ['report', 'port', 2],
    ['abc', 'xyz', 3],
  ])('%s and %s: %d', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });
});

describe('the nearest name', () => {
  it('is undefined if nothing is near', () => {
    expect(nearestName('zzzz', ['port', 'host'])).toBeUndefined();
    expect(nearestName('a', [])).toBeUndefined();
  });

  it('is found in another notation', () => {
    expect(nearestName('maxRetries', ['min_retries_x', 'max_retries'])).toBe('max_retries');
  });
});
