import { RE2JS } from 're2js';
import { describe, expect, it, test } from 'vitest';
import { createExpressionDetector, createPatternDetector } from '../../../src/detectors/expression.ts';
import { quickestCpuMs } from '../../support/cpu-time.ts';

const SLICE_CHARS = 20_480;
const LABEL = { detector: 'prompt_injection', class: 'pattern', rule: 'r' } as const;

const spansIn = (source: string, text: string): string[] =>
  createExpressionDetector(source, LABEL)(text).map(({ start, end }) => `${String(start)}-${String(end)}`);

function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

describe('an expression whose matches could each read the rest of the text', () => {
  test.each([
    ['x(.*y)?', 'x'.repeat(SLICE_CHARS)],
    ['x(.*y)?', `x${' '.repeat(255)}`.repeat(80)],
    ['x(.*y)?', `x${' '.repeat(300)}`.repeat(68)],
    ['x(.*$)?', `${'x'.repeat(SLICE_CHARS - 1)}\n`],
    ['x([^z]*y)?', `x${' '.repeat(600)}`.repeat(34)],
  ])('%s takes no longer than forty searches of the text', (source, text) => {
    const find = createExpressionDetector(source, LABEL);
    const expression = RE2JS.compile(source);
    const rounds = Array.from({ length: 7 }, () => {
      const searches = cpuMs(() => {
        for (let n = 0; n < 40; n += 1) expression.matcher(text).find(n);
      });
      return cpuMs(() => find(text)) / searches;
    });
    expect(Math.min(...rounds)).toBeLessThan(1);
  });

  test('the unsearched rest counts as one match', () => {
    const text = `${'x'.repeat(SLICE_CHARS - 1)}\n`;
    const found = createExpressionDetector('x(.*$)?', LABEL)(text);
    const covered = found.reduce((sum, { start, end }) => sum + end - start, 0);
    expect(covered).toBe(SLICE_CHARS);
  });
});

describe('the matches of a slice', () => {
  test.each([100, 255, 256, 257, 400, 511, 512, 1_000, 3_000])('are all found, %s apart', (apart) => {
    const count = Math.floor(SLICE_CHARS / (apart + 4));
    const text = `${' '.repeat(apart)}1234`.repeat(count);
    const starts = Array.from({ length: count }, (_, index) => index * (apart + 4) + apart);
    const expected = starts.map((start) => `${String(start)}-${String(start + 4)}`);
    expect(spansIn('\\d+', text)).toEqual(expected);
  });

  test.each([10, 300, 600, 2_000, 9_000])('are found whole, %s long', (length) => {
    const match = `<${'a'.repeat(length - 2)}>`;
    const text = `${' '.repeat(300)}${match}`.repeat(Math.floor(SLICE_CHARS / (length + 300)));
    expect(
      createExpressionDetector('<a*(?:>|$)', LABEL)(text).map(({ start, end }) => text.slice(start, end)),
    ).toEqual(text.split(/ +/).slice(1));
  });

  test('are found long after many others, with the following text', () => {
    const near = 'k1 '.repeat(10);
    const text = `${near}${' '.repeat(700)}k2${' '.repeat(200)}end${' '.repeat(3_000)}k3`;
    expect(spansIn('k\\d(?:[ ]*end)?', text).slice(10)).toEqual(['730-935', '3935-3937']);
  });
});

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

  it('creates findings of its own rule', () => {
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
