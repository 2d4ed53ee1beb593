import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countWords } from '../../../src/pricing/count-words.ts';
import {
  NO_WORD,
  packVocabulary,
  readVocabulary,
  unpackVocabulary,
} from '../../../src/pricing/vocabulary.ts';

/** The published tokenizer's count. */
function counted(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set<string>() });
}

describe('countWords', () => {
  it.each([
    "It’s the FIRST camelCase, snake_case and SHOUTING word: don't, WE'LL, y'all\n\n\tindented  twice\r\n",
    '{"id":"chatcmpl-1","n":12345,"list":[1.5e-3,null,true]}',
    'Привет, мир! 你好，世界。 こんにちは 👩‍👩‍👧 é e\u0301 ﬁ ǅ ٣٤٥ नमस्ते',
    'const x = (a, b) => `${a}${b}`; // ////\n',
    'internationalization pneumonoultramicroscopicsilicovolcanoconiosis',
    ' \u00a0 \u2003\u3000 a',
    '<|endoftext|><|im_start|>',
    '\ud800 alone',
  ])('counts %j as others do', (text) => {
    expect(countWords(text)).toBe(counted(text.toWellFormed()));
  });

  it('counts any text as others do', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(' the', 'ing', 'тест', '中文', '\n\n', '   ', "'re", '1234', '😀', 'ZZZ', '==='),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('').slice(0, 128).toWellFormed();
        expect(countWords(text)).toBe(counted(text));
      }),
      { numRuns: 500 },
    );
  });

  it('cuts text that would take quadratic time, and loses none of it', () => {
    expect(countWords('\u00a0 '.repeat(5_000))).toBeGreaterThan(5_000 / 128);
    expect(countWords('q'.repeat(1_280))).toBe(10 * countWords('q'.repeat(128)));
  });
});

describe('packVocabulary', () => {
  it('keeps every word and its rank, and distinguishes a packed file from a published one', () => {
    const published = readFileSync(
      fileURLToPath(import.meta.resolve('gpt-tokenizer/data/o200k_base.tiktoken')),
    );
    const packed = unpackVocabulary(packVocabulary(published));
    const words = published.toString().trimEnd().split('\n');
    const lost = words.filter((line) => {
      const [base64 = '', rank] = line.split(' ');
      const word = Buffer.from(base64, 'base64');
      return packed?.rank(word, 0, word.length) !== Number(rank);
    });
    expect(words.length).toBeGreaterThan(199_000);
    expect(lost.length).toBe(0);
    expect(packed?.rank(Buffer.from('no such word'), 0, 12)).toBe(NO_WORD);
    expect(unpackVocabulary(published)).toBeUndefined();
  });
});

describe('readVocabulary', () => {
  it('distinguishes words by all of their bytes, each by its place in the file', () => {
    const words = ['a', 'b', 'ab', 'abc', 'aé'].map((word) => Buffer.from(word));
    const file = words.map((word, rank) => `${word.toString('base64')} ${rank}\n`).join('');
    const vocabulary = readVocabulary(Buffer.from(file));
    const text = Buffer.from('xxabcaé');
    expect([0, 1].map((at) => vocabulary.rank(text, at, at + 1))).toEqual([NO_WORD, NO_WORD]);
    expect([3, 4, 5].map((to) => vocabulary.rank(text, 2, to))).toEqual([0, 2, 3]);
    expect(vocabulary.rank(text, 5, 8)).toBe(4);
    expect(vocabulary.rank(text, 5, 7)).toBe(NO_WORD);
  });
});
