import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_KEY_CHARS, WordRuns } from '../../../src/text/word-runs.ts';

const MAX_CHARS = 300;
const runs = new WordRuns(MAX_CHARS);

function runsIn(text: string): string[] {
  expect(runs.read(text)).toBe(true);
  return Array.from({ length: runs.count }, (_, run) =>
    text.slice(runs.edges[2 * run], runs.edges[2 * run + 1]),
  );
}

function keyOf(text: string): number[] {
  expect(runs.read(text)).toBe(true);
  return [runs.firstKey(0, text.length), runs.secondKey(0, text.length), runs.thirdKey(0, text.length)];
}

const ascii = fc.string({
  unit: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...'aZ09mx') },
    fc.constantFrom(' ', "'", '\n', '@', '[', '`', '{', '/', ':', '\0', '\u007f'),
  ),
  maxLength: MAX_CHARS,
});

describe('the runs of a text', () => {
  it('are its letters and digits at any offset', () => {
    fc.assert(
      fc.property(ascii, (text) => {
        expect(runsIn(text)).toEqual(text.match(/[A-Za-z0-9]+/g) ?? []);
      }),
      { numRuns: 2_000 },
    );
  });

  it('end with the text', () => {
    for (let chars = 0; chars <= MAX_CHARS; chars++) {
      expect(runsIn('a'.repeat(chars))).toEqual(chars === 0 ? [] : ['a'.repeat(chars)]);
    }
  });

  it('are not read from a text that is not ASCII or too long', () => {
    expect(runs.read('caf\u00e9')).toBe(false);
    expect(runs.read('\u0131')).toBe(false);
    expect(runs.read('\ud800')).toBe(false);
    expect(runs.read('a'.repeat(MAX_CHARS + 1))).toBe(false);
  });

  it('have a unique key in either case', () => {
    const word = fc.string({
      unit: fc.constantFrom(...'abzAZ019'),
      minLength: 1,
      maxLength: MAX_KEY_CHARS,
    });
    fc.assert(
      fc.property(word, word, (one, other) => {
        expect(keyOf(one)).toEqual(keyOf(one.toUpperCase()));
        if (one.toLowerCase() !== other.toLowerCase()) expect(keyOf(one)).not.toEqual(keyOf(other));
      }),
      { numRuns: 2_000 },
    );
    expect(keyOf('ab')).not.toEqual(keyOf('abab'));
  });
});
