import { describe, expect, it } from 'vitest';
import { stringPieces } from '../../../src/json/edit-writer.ts';

const TEXTS = [
  '',
  'abc',
  'a"b\\c\n\u0000',
  '😀😀😀',
  'x😀y\ud83d',
  '\udc00\ud83d\ud83d\ude00',
  'ä\u2028'.repeat(7),
];

describe('the JSON of a string, piece by piece', () => {
  it.each([2, 3, 5, 64])('joined is the JSON of the whole, at most %i characters a piece', (chars) => {
    for (const text of TEXTS) {
      const pieces = [...stringPieces(text, chars)];
      expect(`"${pieces.join('')}"`).toBe(JSON.stringify(text));
    }
  });
});
