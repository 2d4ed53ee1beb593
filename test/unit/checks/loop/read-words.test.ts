import { describe, expect, it } from 'vitest';
import { FILLER, NAME, PLAIN, WordList } from '../../../../src/checks/loop/word-list.ts';
import { readWords } from '../../../../src/checks/loop/read-words.ts';
import { readFeature } from '../../../../src/text/simhash.ts';

const list = new WordList('said');

function read(text: string): WordList {
  list.clear();
  readWords(text, list);
  return list;
}

/** Each word with its weight. */
function expectWords(text: string, expected: readonly (readonly [word: string, kind: number])[]): void {
  const words = read(text);
  expect(words.count).toBe(expected.length);
  const found = expected.map((_, index) => ({ high: words.highOf(index), low: words.lowOf(index) }));
  expect(found).toEqual(expected.map(([word]) => readFeature(word, list.seed)));
  expect(expected.map((_, index) => words.kindAt(index))).toEqual(expected.map(([, kind]) => kind));
}

describe('the words of a call', () => {
  it('are lower-case, once each, in the order of appearance', () => {
    expectWords('Glacier, valley; GLACIER - the the', [
      ['glacier', PLAIN],
      ['valley', PLAIN],
      ['the', FILLER],
    ]);
  });

  it('are names if they have digits, signs or a capital inside', () => {
    expectWords('src/a.ts. getUser user.name step5 a_b #tag end. C:\\x /', [
      ['src/a.ts', NAME],
      ['getuser', NAME],
      ['user.name', NAME],
      ['step5', NAME],
      ['a_b', NAME],
      ['tag', PLAIN],
      ['end', PLAIN],
      ['c:\\x', NAME],
      ['/', NAME],
    ]);
  });

  it('have a higher weight in quotes, in any position', () => {
    expectWords('the glacier and "the" \u201cglacier', [
      ['the', NAME],
      ['glacier', NAME],
      ['and', FILLER],
    ]);
    expect(read('the and "the"').contentWords).toBe(1);
  });

  it('are read in every script', () => {
    expectWords('Größe ÉCOLE ледник \u{1d49c}b 漢字かな 二 e\u0301t', [
      ['größe', PLAIN],
      ['école', PLAIN],
      ['ледник', PLAIN],
      ['\u{1d49c}b', PLAIN],
      ['漢字', PLAIN],
      ['字か', PLAIN],
      ['かな', PLAIN],
      ['二', PLAIN],
      ['e\u0301t', PLAIN],
    ]);
  });

  it('are made lower-case as whole words are', () => {
    expectWords('\u039f\u0394\u039f\u03a3 \u0130x \u7b2c3\u7ae0IS "\u5b57\u7b26"', [
      ['\u03bf\u03b4\u03bf\u03c2', PLAIN],
      ['i\u0307x', PLAIN],
      ['\u7b2c3', NAME],
      ['3\u7ae0', NAME],
      ['\u7ae0i', PLAIN],
      ['is', PLAIN],
      ['\u5b57\u7b26', NAME],
    ]);
  });

  it('are not signs or halves of surrogate pairs', () => {
    expect(read('\u{1f600} \ud800 -- ... \udc00').count).toBe(0);
    expect(read('').count).toBe(0);
  });

  it('may be as many as there are characters', () => {
    const text = Array.from({ length: 8_000 }, (_, nth) => String.fromCodePoint(0x4e00 + nth)).join('');
    const words = read(text);
    expect(words.count).toBe(7_999);
    expect({ high: words.highOf(7_998), low: words.lowOf(7_998) }).toEqual(
      readFeature(text.slice(-2), list.seed),
    );
    expect(read(text).count).toBe(7_999);
  });
});
