import { describe, expect, it } from 'vitest';
import { median, medians } from '../../bench/statistics.ts';
import { percentile } from '../../support/load.ts';

describe('statistics of the bench', () => {
  it('finds the share of sorted numbers', () => {
    const numbers = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([0, 0.5, 0.99, 1].map((share) => percentile(numbers, share))).toEqual([1, 51, 100, 100]);
    expect(percentile([], 0.5)).toBe(0);
  });

  it('finds the median of numbers in any order, without changing them', () => {
    const numbers = [10, 9, 100] as const;
    expect(median(numbers)).toBe(10);
    expect(numbers).toEqual([10, 9, 100]);
  });

  it('uses the mean of the two in the middle for an even number', () => {
    expect(median([4, 1, 3, 100])).toBe(3.5);
    expect(median([])).toBe(0);
  });

  it('finds the medians of samples field by field', () => {
    const samples = [
      { cpu: 1, p50Ms: 30, other: 1 },
      { cpu: 2, p50Ms: 10, other: 1 },
      { cpu: 3, p50Ms: 20, other: 1 },
    ];
    expect(medians(samples, ['cpu', 'p50Ms'])).toEqual({ cpu: 2, p50Ms: 20 });
  });
});
