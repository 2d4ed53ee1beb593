import { describe, expect, it } from 'vitest';
import { formatUsd, toNanoUsd } from '../../../src/pricing/usd.ts';

describe('formatUsd', () => {
  it.each([
    [0, '0'],
    [1, '0.000000001'],
    [10, '0.00000001'],
    [1_500_000_000, '1.5'],
    [12_000_000_000, '12'],
    [9_000_000_000_000_000, '9000000'],
    [8_999_999_999_999_999, '8999999.999999999'],
    [-2_000_000_000, '-2'],
    [-1, '-0.000000001'],
    [-0, '0'],
  ])('writes %d nano-USD as %s, without an exponent or unnecessary zeros', (nanoUsd, text) => {
    expect(formatUsd(nanoUsd)).toBe(text);
  });
});

describe('toNanoUsd', () => {
  it('reads every amount that formatUsd writes', () => {
    for (const nanoUsd of [0, 1, 999, 123_456_789, 1_000_000_001, 123_456_789_123_456]) {
      expect(toNanoUsd(Number(formatUsd(nanoUsd)))).toBe(nanoUsd);
    }
  });
});
