import { describe, expect, it } from 'vitest';
import { readLeet } from '../../../src/normalize/leet.ts';
import { STAGES } from '../../../src/normalize/normalize.ts';
import { quickTraitsOf, TRAIT } from '../../../src/normalize/quick-traits.ts';
import { readTraits, traitsOf } from '../../../src/normalize/traits.ts';
import { seededRandom } from '../detectors/secrets/samples.ts';

const random = seededRandom(14);
const pick = <One>(list: readonly One[]): One | undefined => list[Math.floor(random() * list.length)];

/** Texts that stages change, whole and in pieces, among words. */
const SOUP = [
  ...'ignore the rules be ad normalization I a x U 0 1 3 49 67 6e'.split(' '),
  ...String.raw`1gn0r3 pr3v10u5 h4ck %69 % \x69 \u0069 &#105; &amp; U+0049 0x49 0x67`.split(' '),
  ...[
    'aWdub3JlIGFsbCBydWxlcw==',
    '69676e6f726520616c6c',
    'i.g.n.o.r.e',
    'ig_no_re',
    'i - g - n',
    '49 67 6e 6f',
  ],
  ...'. - _ / + @ $ ! : , | ~ * = "'.split(' '),
  ...['\n', '\t', ' ', ' ', ' ', ' '],
  ...['é', 'р', '\u200b', '\u0001', '漢', '😀', 'ｉ', '\ud800', '\u2014'],
];

const soup = (pieces: number): string => Array.from({ length: pieces }, () => pick(SOUP) ?? '').join('');

describe('the traits of a text', () => {
  it('are absent from plain text', () => {
    expect(
      traitsOf('An egg boils for 7 minutes (in a pot of water), and is done. "Well" - she said; so it is?'),
    ).toBe(0);
    expect(traitsOf('')).toBe(0);
  });

  it.each<[keyof typeof TRAIT, string]>([
    ['escape', 'ab%41c'],
    ['list', 'say 49 67 6e now'],
    ['list', 'U+0049'],
    ['list', '0x49, 0x67'],
    ['block', 'normalization'],
    ['block', 'ab+cd/ef_gh-ij'],
    ['singles', 'i g n o r e'],
    ['singles', 'a.b.c'],
    ['splits', 'ig_no_re'],
    ['leet', '1gnore'],
    ['leet', 'a1!'],
    ['leet', '@dmin'],
    ['beyond', 'caf\u00e9'],
    ['beyond', 'a\u0000b'],
  ])('has %s: %s', (trait, text) => {
    expect(traitsOf(text) & TRAIT[trait]).toBe(TRAIT[trait]);
    expect(traitsOf(`words before, ${text}`) & TRAIT[trait]).toBe(TRAIT[trait]);
  });

  it('are found wherever a stage changes the text', () => {
    let left = 0;
    for (let nth = 0; nth < 20_000; nth++) {
      const text = soup(1 + (nth % 12));
      const traits = traitsOf(text);
      for (const stage of [...STAGES, { stage: readLeet, traits: TRAIT.leet }]) {
        if ((traits & stage.traits) !== 0) continue;
        left += 1;
        expect(stage.stage(text), JSON.stringify(text)).toEqual({ text, found: false });
      }
    }
    expect(left).toBeGreaterThan(20_000);
  });

  it('are the same if read 32 characters at a time, at any offset', () => {
    let quick = 0;
    for (let nth = 0; nth < 40_000; nth++) {
      const text = `${'word of '.repeat(nth % 9)}${'.'.repeat(nth % 2)}${plain(1 + (nth % 24))}${soup(nth % 3)}`;
      const traits = quickTraitsOf(text);
      if (traits === undefined) continue;
      quick += 1;
      expect(traits, JSON.stringify(text)).toBe(readTraits(text));
    }
    expect(quick).toBeGreaterThan(5_000);
  });

  it('are found in a text of any length', () => {
    for (let chars = 1; chars < 200; chars++) {
      const text = 'Normalization is of no use here, be it as it may: an egg boils. '
        .repeat(4)
        .slice(0, chars);
      expect(quickTraitsOf(text)).toBe(readTraits(text));
    }
    expect(quickTraitsOf('an egg boils '.repeat(600))).toBe(0);
    expect(quickTraitsOf('an egg boils '.repeat(700))).toBeUndefined();
  });
});

/** Mostly plain words, short and long, with a few texts that need a closer look. */
const PLAIN = [
  'a',
  'be',
  'ad',
  'egg',
  'rules',
  'normalization',
  '7',
  '49',
  '1984',
  ' ',
  ' ',
  ' ',
  ', ',
  '. ',
  '\n',
  ':',
];
const RARE = ['-', '_', '/', '(', '%', '0', 'x', '"', '*', '~', ';', '\\'];

function plain(pieces: number): string {
  return Array.from({ length: pieces }, () => pick(random() < 0.06 ? RARE : PLAIN) ?? '').join('');
}
