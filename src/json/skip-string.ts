const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Characters of a string that are looked at one by one; beyond them the search for a quote is native. */
const SHORT_STRING = 32;

/** The offset after the string whose opening quote is at `i`. */
export function endOfString(text: string, i: number): number {
  return skipWithin(text, i + 1, text.length);
}

/** The offset after the string that `i` lies in; where it goes on after `to`, the complement of where to read on. */
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
    const least = Math.max(i, quote - SHORT_STRING);
    while (escapes > least && text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1;
    // A run that long is not gone back over: it may be of megabytes.
    if (escapes === least && least > i) continue;
    i = quote + 1;
    // An even number of backslashes before it escape each other, not the quote.
    if ((quote - escapes) % 2 === 0) return i;
  }
  return length;
}
