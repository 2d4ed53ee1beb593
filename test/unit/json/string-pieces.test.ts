import { describe, expect, it } from 'vitest';
import { stringPieces } from '../../../src/json/edit.ts';

const TEXTS = [
  '',
  'abc',
  'a"b\\c\n\u0000',
  '😀😀😀',
  'x😀y\ud83d',
  '\udc00\ud83d\ud83d\ude00',
  'ä\u2028'.repeat(7),
];

describe('the JSON of a string in pieces', () => {
  it.each([2, 3, 5, 64])(
    'equals the JSON of the whole string, with at most %i characters per piece',
    (chars) => {
      for (const text of TEXTS) {
        const pieces = [...stringPieces(text, chars)];
        expect(`"${pieces.join('')}"`).toBe(JSON.stringify(text));
      }
    },
  );
});
