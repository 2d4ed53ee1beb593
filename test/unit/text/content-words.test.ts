import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { contentGrams, contentWords } from '../../../src/text/content-words.ts';
import { headAndTailWords, wordGrams } from '../../../src/text/ngrams.ts';
import { quickestCpuMs } from '../../support/cpu-time.ts';

describe('content words', () => {
  it('exclude stopwords and words about the conversation, in order and with repeats', () => {
    expect(contentWords('How do glaciers carve valleys, and which valleys did glaciers carve?')).toEqual([
      ...['glacier', 'carve', 'valley'],
      ...['valley', 'glacier', 'carve'],
    ]);
    expect(contentWords('Please shorten your previous answer, and list the main points.')).toEqual([]);
  });

  it('are the same in any letter case, width and ligature', () => {
    expect(contentWords('ＧＬＡＣＩＥＲ ﬂoe')).toEqual(contentWords('glacier floe'));
  });

  it('keep letters with marks, digits, and every script', () => {
    expect(contentWords('Gletscher über 529 ледник हिमनद')).toEqual([
      'gletscher',
      'über',
      '529',
      'ледник',
      'हिमनद',
    ]);
  });

  it('are the same with a word of another script among them', () => {
    const text = `Don't read log_4.txt, e.g. A1-b2; "quoted" ${'word'.repeat(20)} O'Neil's 3.14 x`;
    expect(contentWords(`${text} ледник`)).toEqual([...contentWords(text), 'ледник']);
    expect(contentWords(text)).toContain('log');
  });

  it('are pairs of characters in scripts without spaces', () => {
    expect(contentWords('冰川GPS 火')).toEqual(['冰川', 'gps', '火']);
    expect(contentWords('アルプス')).toEqual(['アル', 'ルプ', 'プス']);
  });

  it('come from the head and tail of a long text', () => {
    const words = contentWords(`glacier ${'filler '.repeat(300_000)} volcano`);
    expect(words[0]).toBe('glacier');
    expect(words.at(-1)).toBe('volcano');
    expect(words.length).toBeLessThan(3_000);
  });

  it.each([
    ['one letter', 'a'],
    ['a ligature for a whole phrase', '\uFDFA'],
    ['a unit that is a word in kana', '\u3300'],
    ['a mark', '\u0301'],
    ['half a surrogate pair', '\uD83D'],
    ['an emoji', '🧊'],
  ])('are read quickly from 2 MiB of %s', (_name, unit) => {
    const text = unit.repeat(2_097_152 / unit.length);
    expect(quickestCpuMs(() => contentWords(text), 5)).toBeLessThan(50);
    expect(Math.max(0, ...contentWords(text).map((word) => word.length))).toBeLessThanOrEqual(32);
  });
});

const piece = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.string({ unit: fc.constantFrom(...'abcdefgh12-\u0434\u0415\u03a3\u00e9'), maxLength: 12 }),
  },
  { weight: 20, arbitrary: fc.string({ unit: fc.constantFrom(...'abcdefgh12-'), maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(90), '\u6f22\u5b57', '\u0301e', '\u03a3.', '\n', '') },
);
const pieces = fc.array(piece, { minLength: 80, maxLength: 300 });
/** One character that NFKC expands to eighteen. */
const longText = fc
  .tuple(pieces, fc.constantFrom('', '', '\ufdfa'.repeat(150)), pieces, fc.constantFrom(' ', ' ', ' ', '\n'))
  .map(([before, other, behind, gap]) => [...before, other, ...behind].join(gap));

test('the n-grams of both ends are the same whether or not the middle is read', () => {
  fc.assert(
    fc.property(longText, (given) => {
      const { grams, ends } = contentGrams(given, 192);
      const wanted = headAndTailWords(wordGrams(contentWords(given)), 192);
      expect([...grams]).toEqual([...wanted.grams]);
      expect([...ends]).toEqual([...wanted.ends]);
    }),
    // Long texts take minutes to shrink.
    { endOnFailure: true },
  );
});
