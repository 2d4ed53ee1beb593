import { describe, expect, it } from 'vitest';
import { timeSpan } from '../../../src/text/time-span.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('a span of time in words', () => {
  it.each([
    [-5, '1 s'],
    [0, '1 s'],
    [1, '1 s'],
    [44_001, '45 s'],
    [59 * SECOND, '59 s'],
    [59 * SECOND + 1, '1 min'],
    [MINUTE, '1 min'],
    [61 * SECOND, '2 min'],
    [12 * MINUTE, '12 min'],
    [59 * MINUTE + 1, '1 h'],
    [HOUR, '1 h'],
    [HOUR + 1, '1 h 1 min'],
    [2 * HOUR + 5 * MINUTE, '2 h 5 min'],
    [23 * HOUR + 59 * MINUTE, '23 h 59 min'],
    [DAY - 1, '1 d'],
    [DAY, '1 d'],
    [DAY + 1, '1 d 1 h'],
    [3 * DAY + 3 * HOUR + 1, '3 d 4 h'],
    [2 * DAY - 1, '2 d'],
    [31 * DAY, '31 d'],
  ])('%i ms are "%s"', (ms, words) => {
    expect(timeSpan(ms)).toBe(words);
  });
});
