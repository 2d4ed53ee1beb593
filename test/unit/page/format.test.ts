import { describe, expect, it } from 'vitest';

import { duration, percent, relativeTime, shortId, usd } from '../../../page/format.ts';

describe('texts of numbers and times on the operator page', () => {
  it.each([
    [-5, '0 s'],
    [42, '42 s'],
    [61, '1 min 1 s'],
    [3_900, '1 h 5 min'],
    [200_000, '2 d 7 h'],
  ])('%d seconds are %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });

  it('shows small amounts of money as more than nothing', () => {
    expect([usd(0), usd(0.000_123), usd(12.3456)]).toEqual(['$0.00', '$0.000123', '$12.35']);
  });

  it('counts back in the largest unit', () => {
    const now = Date.parse('2026-03-01T12:00:00Z');
    expect(relativeTime('2026-03-01T11:57:00Z', now)).toBe('3 minutes ago');
    expect(relativeTime('2026-03-01T14:00:00Z', now)).toBe('in 2 hours');
  });

  it('has no share of nothing, and shortens long ids only', () => {
    expect([percent(1, 0), percent(1, 3)]).toEqual(['–', '33 %']);
    expect([shortId('short'), shortId('a-long-identifier')]).toEqual(['short', 'a-long-ident…']);
  });
});
