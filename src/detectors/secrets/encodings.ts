import { BASE64_VALUES, digitValues, NO_DIGIT } from '../../normalize/alphabet-runs.ts';
import { NO_TEXT, stepText, TEXT_START } from './text-bytes.ts';

export interface Encoding {
  readonly name: 'base64' | 'hex';
  readonly bitsPerDigit: number;
  /** Smallest number of digits that make whole bytes. */
  readonly blockDigits: number;
  /** Digit value or `NO_DIGIT`, by character code. */
  readonly digits: Uint8Array;
}

export const BASE64: Encoding = {
  name: 'base64',
  bitsPerDigit: 6,
  blockDigits: 4,
  digits: BASE64_VALUES,
};
export const HEX: Encoding = {
  name: 'hex',
  bitsPerDigit: 4,
  blockDigits: 2,
  digits: digitValues('0123456789abcdef', '0123456789ABCDEF'),
};

export interface Reading {
  readonly encoding: Encoding;
  readonly start: number;
  readonly alignment: number;
  end: number;
  digits: number;
  /** Bits that do not make a whole byte yet. */
  bits: number;
  bitCount: number;
  state: number;
}

export function endOfDigits({ digits }: Encoding, codes: Uint16Array, from: number, to: number): number {
  let at = from;
  while (at < to && (digits[codes[at] ?? 0] ?? NO_DIGIT) !== NO_DIGIT) at += 1;
  return at;
}

/** Returns the offset at which digits stop decoding to text. */
export function endOfText(
  { digits, bitsPerDigit }: Encoding,
  codes: Uint16Array,
  from: number,
  to: number,
  start: number,
): number {
  let bits = 0;
  let bitCount = 0;
  let state = start;
  for (let at = from; at < to; at += 1) {
    const digit = digits[codes[at] ?? 0] ?? NO_DIGIT;
    if (digit === NO_DIGIT) return at;
    bits = ((bits << bitsPerDigit) | digit) & 0xffff;
    bitCount += bitsPerDigit;
    if (bitCount < 8) continue;
    bitCount -= 8;
    state = stepText(state, (bits >> bitCount) & 0xff);
    if (state === NO_TEXT) return at;
  }
  return to;
}

/** Decodes digits as long as they yield text. Returns their end. */
export function decodeDigits(reading: Reading, codes: Uint16Array, from: number, to: number): number {
  const { digits, bitsPerDigit } = reading.encoding;
  let { bits, bitCount, state } = reading;
  let at = from;
  for (; at < to; at += 1) {
    const digit = digits[codes[at] ?? 0] ?? NO_DIGIT;
    if (digit === NO_DIGIT) break;
    bits = ((bits << bitsPerDigit) | digit) & 0xffff;
    bitCount += bitsPerDigit;
    if (bitCount < 8) continue;
    bitCount -= 8;
    const next = stepText(state, (bits >> bitCount) & 0xff);
    if (next === NO_TEXT) break;
    state = next;
  }
  reading.digits += at - from;
  reading.bits = bits;
  reading.bitCount = bitCount;
  reading.state = state;
  return at;
}

/** Enough digits to distinguish text from images, vectors and encrypted data. */
const BEGINNING_DIGITS = 32;

export function beginsAsText(text: string, from: number): boolean {
  const beginning = text.slice(from, from + BEGINNING_DIGITS);
  const codes = Uint16Array.from(beginning, (character) => character.charCodeAt(0));
  return endOfText(BASE64, codes, 0, codes.length, TEXT_START) === codes.length;
}
