import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asciiWordGrams, contentWords } from '../../../src/text/content-words.ts';
import { wordGrams } from '../../../src/text/ngrams.ts';
import { STOPWORDS } from '../../../src/text/stopwords.ts';

const ending = fc.constantFrom(
  '',
  's',
  'es',
  'ies',
  'sses',
  'xes',
  'ches',
  'shes',
  'us',
  'is',
  'ing',
  'ings',
  'ed',
);
const stem = fc.oneof(
  fc.constantFrom(...STOPWORDS),
  fc.string({ unit: fc.constantFrom(...'abcdegisxyzABS09'), maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('a', '1'), minLength: 28, maxLength: 70 }),
);
const word = fc.tuple(stem, ending).map((parts) => parts.join(''));
const sign = fc.oneof(
  fc.constantFrom(' ', '\n', "'", '-', '', '\0', '@', '[', '`', '{'),
  fc.string({ maxLength: 2 }),
);
const text = fc.array(fc.tuple(word, sign), { maxLength: 12 }).map((parts) => parts.flat().join(''));

test('the n-grams of an ASCII text are those of its content words', () => {
  fc.assert(
    fc.property(text, (given) => {
      const found = asciiWordGrams(given);
      const wanted = wordGrams(contentWords(given));
      expect([...(found?.grams ?? [])]).toEqual([...wanted.grams]);
      expect([...(found?.ends ?? [])]).toEqual([...wanted.ends]);
    }),
    { numRuns: 3_000, seed: 3 },
  );
});

test('a text with other characters is not read', () => {
  for (const given of ['glacier \u00e9', '\u212a', '\uffff', 'a\u0080'])
    expect(asciiWordGrams(given)).toBeUndefined();
});
