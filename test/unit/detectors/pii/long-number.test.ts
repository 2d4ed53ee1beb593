import { describe, expect, it } from 'vitest';
import { mayHaveLongNumber, mayHavePhone } from '../../../../src/detectors/pii/long-number.ts';

/** At every offset, since one character in four is read. */
function expectFoundAnywhere(written: string): void {
  for (let before = 0; before < 9; before++) {
    expect(mayHaveLongNumber(`${'a'.repeat(before)}${written}`), written).toBe(true);
    expect(mayHaveLongNumber(`${'a'.repeat(before)}${written} behind`), written).toBe(true);
  }
}

describe('the fast test for long numbers', () => {
  it.each([
    '078-05-1120',
    '(212) 555-0134',
    '212 - 555 - 0134',
    '(212)\u00a0\u2011555-0134',
    '4155552671',
    '4111 1111 1111 1111',
    '3782-822463-10005',
    '\\u002b4155552671',
  ])('finds %s', expectFoundAnywhere);

  it.each(['in 2024 and 1999', '12,345,678.90', '127.0.0.1', '1234 12', 'a1b2c3d4e5f6g7h8i9', ''])(
    'passes over %s',
    (text) => {
      expect(mayHaveLongNumber(text)).toBe(false);
    },
  );

  it('reads a text of one slice to its end', () => {
    expect(mayHaveLongNumber('a '.repeat(16_384))).toBe(false);
    expect(mayHaveLongNumber(`${'a'.repeat(32_757)}078-05-1120`)).toBe(true);
  });

  it('accepts every longer text', () => {
    expect(mayHaveLongNumber('a'.repeat(32_769))).toBe(true);
  });

  it('leaves numbers with a plus to the test for phones', () => {
    for (const written of ['+49 30 123 456 78', '\\u002b49 30', '%2B49 30']) {
      expect(mayHaveLongNumber(written)).toBe(false);
      expect(mayHavePhone(written, false)).toBe(true);
    }
    expect(mayHavePhone('no number', false)).toBe(false);
    expect(mayHavePhone('no plus', true)).toBe(true);
  });
});
