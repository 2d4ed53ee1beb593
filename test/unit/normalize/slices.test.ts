import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sliceEnd, SLICE_UNITS } from '../../../src/normalize/slices.ts';

const WORD_AND_GAP = /[A-Za-z]{3}[.,:;!?]?(?=\s{1,8}[A-Za-z]{3})/g;
const SEARCH_UNITS = 2_048;

const piece = fc.oneof(
  fc.constantFrom(
    ' ',
    '  ',
    '\n',
    '\u00a0',
    '\ufeff',
    ' '.repeat(8),
    ' '.repeat(9),
    '.',
    ',',
    '!?',
    '-',
    '1',
    'é',
  ),
  fc.string({ unit: fc.constantFrom(...'abcXYZ'), maxLength: 5 }),
);
const ending = fc.array(piece, { minLength: 1, maxLength: 60 }).map((parts) => parts.join(''));

test('a slice ends after the last ordinary word before another one', () => {
  fc.assert(
    fc.property(ending, (given) => {
      const text = '1'.repeat(SLICE_UNITS - given.length) + given + '1'.repeat(100);
      const from = SLICE_UNITS - SEARCH_UNITS;
      const gaps = [...text.slice(from, SLICE_UNITS).matchAll(WORD_AND_GAP)];
      const last = gaps.at(-1);
      if (last === undefined) return;
      expect(sliceEnd(text, 0)).toBe(from + last.index + last[0].length);
    }),
    { numRuns: 2_000, seed: 9 },
  );
});
