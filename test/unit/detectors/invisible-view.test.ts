import { describe, expect, it } from 'vitest';
import { mayHide, visibleViews } from '../../../src/detectors/invisible-view.ts';
import { inTurns, runNow } from '../../../src/turns.ts';
import { longestTurnMs } from '../../support/turn-sweep/turn-watch.ts';

/** The longest ASCII text that is read four characters at a time. */
const LONGEST = 32_768;
const PRINTED = new Set(['\t', '\n', '\v', '\f', '\r']);
const isControl = (character: string): boolean =>
  (character < ' ' && !PRINTED.has(character)) || character === '\x7f';

describe('the test for invisible characters', () => {
  it.each([1, 2, 3, 4, 5, LONGEST - 1, LONGEST, LONGEST + 1])(
    'finds each control character anywhere in %i characters of ASCII, and nothing else',
    (length) => {
      for (let code = 0; code < 128; code++) {
        const character = String.fromCharCode(code);
        for (const at of new Set([0, Math.floor(length / 2), length - 2, length - 1])) {
          // A backslash at the end may begin an escape.
          if (at < 0 || character === '\\') continue;
          const text = 'a'.repeat(at) + character + 'a'.repeat(length - at - 1);
          expect(mayHide(text), `code ${String(code)} at ${String(at)}`).toBe(isControl(character));
        }
      }
    },
  );

  it('reads only the given text, not the rest of an earlier, longer one', () => {
    expect(mayHide('\0'.repeat(64))).toBe(true);
    expect(mayHide('abcde')).toBe(false);
  });

  it.each(['caf\u00e9 \u00ad', 'zero\u200bwidth', '\u{e0041}'])('finds %j beyond ASCII', (text) => {
    expect(mayHide(text)).toBe(true);
  });

  it('ignores letters beyond ASCII', () => {
    expect(mayHide('caf\u00e9 \u65e5\u672c\u8a9e')).toBe(false);
  });
});

describe('the views of a long text', () => {
  it('are searched for escapes in short turns, even among backslashes', async () => {
    const text = '\\'.repeat(12_000_000);
    expect(await longestTurnMs(() => inTurns(visibleViews(text)))).toBeLessThan(50);
  });

  it.each([0, 1, 2, 5])('decode an escape %i characters before the end of a step', (before) => {
    const text = `${'a'.repeat(LONGEST - before)}\\u200b${'b'.repeat(LONGEST)}`;
    const [view] = runNow(visibleViews(text));
    expect(view?.text).toBe('a'.repeat(LONGEST - before) + 'b'.repeat(LONGEST));
    expect(view?.toOriginal({ start: LONGEST - 1 - before, end: LONGEST + 1 - before })).toEqual({
      start: LONGEST - 1 - before,
      end: LONGEST + 7 - before,
    });
  });
});
