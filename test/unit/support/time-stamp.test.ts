import { describe, expect, it } from 'vitest';
import { sinceStamp, stamp, STAMP } from '../../support/time-stamp.ts';

const lettersOf = (text: string): string => [...text.matchAll(STAMP)][0]?.[1] ?? '';
const HOUR_MS = 3_600_000;

describe('a moment as a word', () => {
  it('is read as the time since then, to the microsecond', () => {
    const letters = lettersOf(`some text${stamp(1_700_000_000_000)}and more`);
    expect(sinceStamp(letters, 1_700_000_000_012.5)).toBeCloseTo(12.5, 2);
  });

  it('is read across the end of an hour', () => {
    const letters = lettersOf(stamp(HOUR_MS * 472_222 - 1));
    expect(sinceStamp(letters, HOUR_MS * 472_222 + 2)).toBeCloseTo(3, 2);
  });

  it('has only letters, and defaults to now', () => {
    expect(stamp()).toMatch(/^ t=[a-p]{8} $/);
    expect(sinceStamp(lettersOf(stamp()))).toBeLessThan(1_000);
  });
});
