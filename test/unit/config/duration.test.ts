import { describe, expect, it } from 'vitest';
import { formatDuration, MAX_DURATION_MS, parseDuration } from '../../../src/config/duration.ts';

describe('a written duration', () => {
  it.each([
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['1d', 86_400_000],
    ['1h30m', 5_400_000],
    ['0.5s', 500],
    ['0', 0],
    ['0s', 0],
  ])('%s is %d ms', (written, durationMs) => {
    expect(parseDuration(written)).toBe(durationMs);
  });

  it.each(['', '30', '-5s', '5 s', 's', '5x', '1h,5m', ' 5s', '1e3s', '99999999999d', '1s1s1s1s1s1s'])(
    '%j is not a duration',
    (written) => {
      expect(parseDuration(written)).toBeUndefined();
    },
  );

  it('is at most ten years', () => {
    expect(parseDuration('3650d')).toBe(MAX_DURATION_MS);
    expect(parseDuration('3650d1ms')).toBeUndefined();
  });
});

describe('a duration in print', () => {
  it.each([0, 1, 250, 30_000, 90_000, 120_000, 5_400_000, 86_400_000, 1_500])(
    'reads back to %d ms',
    (durationMs) => {
      expect(parseDuration(formatDuration(durationMs))).toBe(durationMs);
    },
  );

  it('uses the largest whole unit', () => {
    expect([90_000, 120_000, 250].map(formatDuration)).toEqual(['90s', '2m', '250ms']);
  });
});
