import { describe, expect, it, test } from 'vitest';
import { unescaped, unfinishedEscapeAt } from '../../../src/detectors/json-escapes.ts';
import { offsetIn, type TextView } from '../../../src/inspect/offset-map.ts';
import { runNow } from '../../../src/turns.ts';
import { seededRandom } from './secrets/samples.ts';

function unescapedAtOnce(text: string): TextView | undefined {
  return runNow(unescaped(text, Infinity));
}

describe('a text with decoded escapes', () => {
  test.each([
    ['nothing', 'a b', undefined],
    ['other backslashes', String.raw`\d\x41\u00g0`, undefined],
    ['letters', String.raw`\"\\\/\b\f\n\r\t`, '"\\/\b\f\n\r\t'],
    ['codes', String.raw`\u0041\u00e9\ud83d\ude42`, 'Aé🙂'],
    ['an escape after an escaped backslash', String.raw`\\n\\\n`, '\\n\\\n'],
    ['one level', String.raw`\\u0041`, String.raw`\u0041`],
    ['an escape that the end cuts', String.raw`\n\u00`, '\n\\u00'],
    ['64 backslashes', '\\'.repeat(64) + 'n', '\\'.repeat(32) + 'n'],
    ['a drawing of more', '\\n' + '\\'.repeat(65) + 'n', '\n' + '\\'.repeat(65) + 'n'],
  ])('has %s', (_what, text, expected) => {
    expect(unescapedAtOnce(text)?.text).toBe(expected);
  });

  it('maps its characters to the original', () => {
    const view = unescapedAtOnce(String.raw`a\nb\u0041c`);
    expect(Array.from({ length: 6 }, (_, at) => view && offsetIn(view, at))).toEqual([0, 1, 3, 4, 10, 11]);
  });

  it('is the same if it is decoded in steps', () => {
    const random = seededRandom(1);
    const pieces = ['\\', '\\\\', 'u0041', 'n', 'x', '"', '\\n', '\\'.repeat(30)];
    for (let round = 0; round < 500; round += 1) {
      const text = Array.from({ length: 12 }, () => pieces[Math.floor(random() * pieces.length)]).join('');
      const steps = unescaped(text, 1 + Math.floor(random() * 5));
      let step = steps.next();
      while (step.done !== true) step = steps.next();
      expect(step.value?.text).toBe(unescapedAtOnce(text)?.text);
    }
  });
});

describe('an escape that is cut by the end of the text', () => {
  test.each([
    ['abc', ''],
    ['a\\', '\\'],
    [String.raw`a\u`, String.raw`\u`],
    [String.raw`a\u00e`, String.raw`\u00e`],
    [String.raw`a\u00e9`, ''],
    [String.raw`a\n`, ''],
    [String.raw`a\\u00`, ''],
    [String.raw`a\\\u00`, String.raw`\u00`],
    ['a' + '\\'.repeat(4), '\\'.repeat(4)],
    ['a' + '\\'.repeat(64), '\\'.repeat(64)],
    ['a' + '\\'.repeat(65), ''],
    [String.raw`a\u00x`, ''],
  ])('%s: %s', (text, expected) => {
    expect(text.slice(unfinishedEscapeAt(text))).toBe(expected);
  });
});
