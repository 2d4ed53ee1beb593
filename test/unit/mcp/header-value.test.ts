import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeHeaderValue, encodeHeaderValue } from '../../../src/mcp/mirrored.ts';
import { quickestCpuMs } from '../../support/cpu-time.ts';

describe('the value of a header that repeats part of a message', () => {
  it.each([
    ['us-west1', 'us-west1'],
    ['two words', 'two words'],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['', '=?base64??='],
  ])('encodes %j as %j', (text, value) => {
    expect(encodeHeaderValue(text)).toBe(value);
    expect(decodeHeaderValue(value)).toBe(text);
  });

  it('encodes any text as one line of ASCII', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0x10ffff)), (points) => {
        const text = points
          .map((point) => String.fromCodePoint(point))
          .join('')
          .toWellFormed();
        const value = encodeHeaderValue(text);
        expect(value).toMatch(/^[\t\x20-\x7e]*$/);
        expect(decodeHeaderValue(value)).toBe(text);
      }),
    );
  });

  it.each([
    ['before it', `${' \t'.repeat(30_000)}x`, 'x'],
    ['after it', `x${' \t'.repeat(30_000)}`, 'x'],
    ['within it', `x${' '.repeat(60_000)}y`, `x${' '.repeat(60_000)}y`],
  ])('with 60,000 blanks %s is decoded quickly', (_where, value, text) => {
    expect(decodeHeaderValue(value)).toBe(text);
    expect(quickestCpuMs(() => decodeHeaderValue(value))).toBeLessThan(20);
  });

  it.each([
    ['has blanks around the encoding', '\t us-west1 ', 'us-west1'],
    ['has markers in capitals', '=?BASE64?YQ==?=', '=?BASE64?YQ==?='],
  ])('that %s is read', (_what, value, text) => {
    expect(decodeHeaderValue(value)).toBe(text);
  });

  it.each([
    ['contains a byte outside ASCII', 'k\u00e4se'],
    ['contains a control character', 'a\u0007'],
    ['is not Base64', '=?base64?***?='],
    ['lacks its padding', '=?base64?YQ?='],
    ['has extra bits in its last character', '=?base64?YR==?='],
    ['is URL-safe Base64', '=?base64?_-8=?='],
    ['is not UTF-8', '=?base64?/w==?='],
    ['has overlapping markers', '=?base64?='],
  ])('that %s is refused', (_what, value) => {
    expect(decodeHeaderValue(value)).toBeUndefined();
  });
});
