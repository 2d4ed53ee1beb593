import { describe, expect, it } from 'vitest';
import {
  containment,
  decodeGrams,
  encodeGrams,
  gramSet,
  headAndTailWords,
  wordGrams,
} from '../../../src/text/ngrams.ts';

const words = (text: string) => wordGrams(text.split(' '));
const set = (text: string) => gramSet(words(text));

describe('n-grams', () => {
  it('hash three characters of a word, with its ends, to 16 bits', () => {
    const { grams, ends } = wordGrams(['ice']);
    expect(grams).toHaveLength(3);
    expect([...ends]).toEqual([3]);
    expect(wordGrams(['x']).grams).toHaveLength(1);
    expect(wordGrams(['ice', 'lice']).grams.slice(3 + 2)).toEqual(grams.slice(1));
    for (const gram of gramSet(wordGrams(['glacier', 'ледник', '冰川']))) {
      expect(gram).toBeGreaterThanOrEqual(0);
      expect(gram).toBeLessThan(65_536);
    }
  });
});

describe('containment', () => {
  it('is the share of the first text’s n-grams that the second one has', () => {
    expect(containment(words('glacier valley'), set('valley glacier moraine'))).toBe(1);
    expect(containment(words('glacier valley'), set('glacier'))).toBeCloseTo(7 / 13);
    expect(containment(words('glacier'), set('sonata'))).toBe(0);
    expect(containment(wordGrams([]), set('glacier'))).toBe(0);
    expect(containment(words('glacier'), gramSet(wordGrams([])))).toBe(0);
  });

  it('counts an n-gram only in a run of three, or in a shared short word', () => {
    // "nat", "ati" and "tio" are in both, and so is "ion" at the end; "pro" alone is no run.
    expect(containment(words('nation'), set('station'))).toBeGreaterThan(0);
    expect(containment(words('probe'), set('imprompt'))).toBe(0);
    expect(containment(words('proton'), set('prose'))).toBe(0);
    expect(containment(words('proton'), set('protein'))).toBeCloseTo(3 / 6);
    expect(containment(words('ox'), set('ox'))).toBe(1);
    expect(containment(words('ox'), set('oxen'))).toBe(0);
  });
});

describe('a cap on n-grams', () => {
  const names = Array.from({ length: 100 }, (_, index) => `word${String(index)}`);

  it('keeps whole words from both ends', () => {
    const capped = headAndTailWords(wordGrams(names), 60);
    expect(gramSet(capped).length).toBeLessThanOrEqual(60);
    expect(containment(words('word0'), gramSet(capped))).toBe(1);
    expect(containment(words('word99'), gramSet(capped))).toBe(1);
    expect(containment(words('word50'), gramSet(capped))).toBeLessThan(1);
  });

  it('counts repeated n-grams once, and keeps a short text', () => {
    const repeated = wordGrams([...Array<string>(10_000).fill('filler'), 'volcano']);
    expect(containment(words('volcano'), gramSet(headAndTailWords(repeated, 60)))).toBe(1);
    const short = wordGrams(['glacier', 'volcano']);
    expect(headAndTailWords(short, 60)).toEqual(short);
  });
});

describe('a set as text', () => {
  it('is read back unchanged, and two texts joined are read as their union', () => {
    const all = Uint16Array.from([0, 1, 63, 64, 4_095, 4_096, 65_535]);
    expect(decodeGrams(encodeGrams(all))).toEqual(all);
    const [one, other] = [Uint16Array.of(7), Uint16Array.of(7, 9)];
    expect(decodeGrams(encodeGrams(one) + encodeGrams(other))).toEqual(other);
    expect(decodeGrams('')).toEqual(new Uint16Array());
  });

  it.each(['A', 'AAAA', 'A A', '///', 'AA\u00e9', '-AA'])('is refused if it is malformed: %s', (text) => {
    expect(decodeGrams(text)).toBeUndefined();
  });
});
