import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isUndecidedAt, partialOf } from '../../../../src/detectors/secrets/partial-pattern.ts';
import { quickestCpuMs } from '../../../support/cpu-time.ts';

describe('a partial pattern', () => {
  test.each([
    ['a character', /abc/y, ['', 'a', 'ab'], ['abc', 'abd', 'b', 'ac']],
    ['a class', /x[0-9]z/y, ['', 'x', 'x1'], ['x1z', 'x1y', 'xx']],
    ['any character', /x.z/y, ['x', 'xy'], ['xyz', 'xyy']],
    ['so many of them', /a[0-9]{2,4}/y, ['a', 'a1', 'a12', 'a123'], ['a1234', 'a12b', 'a1b', 'ab']],
    ['any number of them', /a[0-9]*/y, ['', 'a', 'a1', 'a123456'], ['ab', 'a1b']],
    ['none of them', /ab{0}c/y, ['', 'a'], ['ac', 'ab']],
    ['perhaps one', /ab?c/y, ['a', 'ab'], ['ac', 'abc', 'abb']],
    ['a group', /x(?:ab|cd)z/y, ['x', 'xa', 'xc', 'xcd'], ['xabz', 'xb', 'xad']],
    ['a captured group', /x(ab|cd)z/y, ['xc', 'xab'], ['xabz', 'xz']],
    ['groups that repeat', /(?:ab-){2,3}c/y, ['ab', 'ab-', 'ab-a', 'ab-ab-'], ['ab-c', 'ab-ab-c']],
    ['nothing but a group that is empty', /(?:)a/y, [''], ['a', 'b']],
    ['what must not follow', /ab(?!c)/y, ['', 'a', 'ab'], ['abd', 'abc', 'b']],
    ['what must follow', /ab(?=cd)/y, ['ab', 'abc'], ['abcd', 'abd']],
    ['what must stand before', /a(?<=a)b/y, ['', 'a'], ['ab', 'b']],
    ['the edge of a word', /ab\b/y, ['a', 'ab'], ['ab ', 'abc']],
    ['the end', /ab$/y, ['a', 'ab'], ['abc', 'b']],
    ['the beginning', /^ab/y, ['', 'a'], ['ab', 'b']],
    ['letters of either case', /ab/iy, ['A', ''], ['AB', 'aB', 'AC']],
  ])('reports %s if the text ends too early', (_what, pattern, undecided, decided) => {
    expect(undecided.filter((text) => !isUndecidedAt(pattern, text, 0))).toEqual([]);
    expect(decided.filter((text) => isUndecidedAt(pattern, text, 0))).toEqual([]);
  });

  it('matches at the given place', () => {
    expect([0, 2, 3, 4].map((at) => isUndecidedAt(/abc/y, 'a ab', at))).toEqual([false, true, false, true]);
  });

  it('reads a long run of characters in linear time', () => {
    const text = `${'a'.repeat(100_000)}-${'b'.repeat(90_000)}+`;
    const read = () => isUndecidedAt(/a[a-z]{1,100000}-[a-z]{1,100000}=/y, text, 0);
    expect(quickestCpuMs(read)).toBeLessThan(50);
  });

  it('rejects a pattern with a back reference', () => {
    expect(() => partialOf(String.raw`(a)\1`)).toThrow('Backreference');
  });

  it('is undecided if more text can change the match', () => {
    const patterns = [
      /a(?:b{1,3}|[ab]{2}c)(?!c)/y,
      /(?:a[bc]?){1,3}c/y,
      /[ab]{2,4}(?:c[ab]{1,2}){0,2}(?!a)/y,
      /(?:ab|a)(?:bc|c{2})?/y,
      /b?(?:a|ab|abc){2}\b/y,
    ];
    const text = fc.stringMatching(/^[abc]{0,9}$/);
    fc.assert(
      fc.property(fc.constantFrom(...patterns), text, text, (pattern, begun, more) => {
        if (isUndecidedAt(pattern, begun, 0)) return;
        expect(matchOf(pattern, begun + more)).toEqual(matchOf(pattern, begun));
      }),
      { numRuns: 5000 },
    );
  });

  it('is decided if no text can change the match', () => {
    const pattern = /a(?:b{1,3}|c{2})(?!c)/y;
    const endings = ['', 'a', 'ab', 'b', 'bb', 'bbb', 'bd', 'c', 'cc', 'ccd', 'd', 'bbd', 'bbbd'];
    fc.assert(
      fc.property(fc.stringMatching(/^[abcd]{0,6}$/), (begun) => {
        const outcomes = new Set(endings.map((ending) => matchOf(pattern, begun + ending)));
        if (isUndecidedAt(pattern, begun, 0)) expect(outcomes.size).toBeGreaterThan(1);
      }),
      { numRuns: 1000 },
    );
  });
});

function matchOf(pattern: RegExp, text: string): string | undefined {
  pattern.lastIndex = 0;
  return pattern.exec(text)?.[0];
}
