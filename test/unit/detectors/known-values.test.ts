import { describe, expect, it } from 'vitest';
import { createKnownValues } from '../../../src/detectors/known-values/known-values.ts';
import type { Finding } from '../../../src/detectors/finding.ts';
import { longestTurnMs } from '../../support/turn-sweep/turn-watch.ts';

const VALUE = 'Zq8Lw2Xk9Pd4';
const known = createKnownValues([VALUE], { detector: 'secrets', class: 'secret', rule: 'known' });

describe('a search for known values', () => {
  it.each([
    ['of letters and digits', 'a1'.repeat(8_000_000), 0],
    ['of another script', '中a'.repeat(6_000_000), 0],
    ['that repeats the value, up to one more than the limit', VALUE.repeat(100_000), 20_001],
  ])('reads a long text %s in short turns', async (_what, text, count) => {
    let found: readonly (readonly Finding[])[] = [];
    const turnMs = await longestTurnMs(async () => {
      found = await known.findAll([text], 20_000);
    });
    expect(found.flat()).toHaveLength(count);
    expect(turnMs).toBeLessThan(50);
  });
});
