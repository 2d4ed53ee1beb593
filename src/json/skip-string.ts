import { CODES } from './codes.ts';

const { BACKSLASH, QUOTE } = CODES;

/**
 * Maximum number of characters read one by one: forward before a native search for the quote, and backward from the
 * quote that it finds.
 */
const SHORT_STRING = 32;

/** Returns the offset after the string whose opening quote is at `i`. */
export function endOfString(text: string, i: number): number {
  return skipWithin(text, i + 1, text.length);
}

/**
 * Returns the offset after the string around `i`. May read beyond `to`. If it has passed `to` without finding the end,
 * returns the bitwise complement of the offset at which to continue. An unterminated string ends with the text.
 */
export function skipWithin(text: string, i: number, to: number): number {
  const { length } = text;
  let quote = -1;
  while (i < length) {
    if (i > to) return ~i;
    const near = Math.min(i + SHORT_STRING, length);
    while (i < near) {
      const code = text.charCodeAt(i);
      if (code === QUOTE) return i + 1;
      i += code === BACKSLASH ? 2 : 1;
    }
    if (quote < i) quote = text.indexOf('"', i);
    if (quote < 0) return length;
    let escapes = quote;
    const min = Math.max(i, quote - SHORT_STRING);
    while (escapes > min && text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1;
    // A run of backslashes may be megabytes long, so the backward scan is limited.
    if (escapes === min && min > i) continue;
    i = quote + 1;
    // Pairs of backslashes do not escape the quote.
    if ((quote - escapes) % 2 === 0) return i;
  }
  return length;
}
