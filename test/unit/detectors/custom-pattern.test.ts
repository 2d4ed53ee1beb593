import { describe, expect, it } from 'vitest';
import { createPatternDetector } from '../../../src/detectors/custom-pattern.ts';
import { quickestCpuMs } from '../../support/cpu-time.ts';

const matched = (pattern: string, text: string): string[] =>
  createPatternDetector(pattern, 'custom:0')(text).map(({ start, end }) => text.slice(start, end));

describe('a pattern of an operator', () => {
  it.each([
    ['wire', 'wire, Wire, rewired', ['wire', 'wire']],
    ['(?i)\\bwire\\b', 'wire, Wire, rewired', ['wire', 'Wire']],
    ['(?<a>x+)y', 'xxy y', ['xxy']],
    ['\\p{Cyrillic}+', 'a привет b', ['привет']],
    ['💥.', 'a💥💥b', ['💥💥']],
    ['a.c', 'a\nc abc', ['abc']],
    ['(?s)a.c', 'a\nc abc', ['a\nc', 'abc']],
    ['^a', 'aa', ['a']],
    ['x', 'none', []],
  ])('%s in %j', (pattern, text, expected) => {
    expect(matched(pattern, text)).toEqual(expected);
  });

  it('makes findings of its own rule', () => {
    expect(createPatternDetector('b', 'custom:3')('abc')).toEqual([
      { detector: 'prompt_injection', class: 'override', rule: 'custom:3', start: 1, end: 2 },
    ]);
  });

  it('has one finding for the rest of a text with too many matches', () => {
    expect(matched('x', 'ax'.repeat(40))).toEqual([...Array<string>(10).fill('x'), 'ax'.repeat(30)]);
  });

  it.each(['', 'a*', 'a|', '(?=a)', '(a)\\1', '[', 'a{2000}'])(
    'is refused if it is not supported or matches the empty text: %j',
    (pattern) => {
      expect(() => createPatternDetector(pattern, '')).toThrow();
    },
  );

  it.each(['(a+)+$', '(a|aa)+$', '(.*)*b', '(a*)*b'])('takes linear time: %s', (pattern) => {
    const text = `${'a'.repeat(20_000)}!`;
    expect(matched(pattern, text)).toEqual([]);
    expect(quickestCpuMs(() => matched(pattern, text))).toBeLessThan(1_000);
  });
});
