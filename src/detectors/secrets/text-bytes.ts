/**
 * A state machine over bytes that recognizes text: printable ASCII with line breaks, tabs, and NULs between parts;
 * UTF-8; and ASCII as UTF-16 in either byte order, optionally after a byte order mark.
 */
export const NO_TEXT = 0;
export const TEXT_START = 1;
/** State inside a text, where the first bytes of a character may be missing. */
export const TEXT_INSIDE = 2;
const ONE_CHARACTER = 3;
const NARROW = 4;
const CONTINUED = [NARROW, 5, 6, 7] as const;
const LITTLE_CHARACTER = 8;
const LITTLE_ZERO = 9;
const BIG_ZERO = 10;
const BIG_CHARACTER = 11;
const LITTLE_MARK = 12;
const BIG_MARK = 13;
const STATES = 14;

const steps = new Uint8Array(STATES * 256);

function step(from: number, first: number, last: number, to: number): void {
  steps.fill(to, from * 256 + first, from * 256 + last + 1);
}

function stepOnPrintable(from: number, to: number): void {
  step(from, 0x20, 0x7e, to);
  for (const space of [0x09, 0x0a, 0x0d]) step(from, space, space, to);
}

for (const [from, to] of [
  [TEXT_START, ONE_CHARACTER],
  [TEXT_INSIDE, ONE_CHARACTER],
  [ONE_CHARACTER, NARROW],
  [NARROW, NARROW],
] as const) {
  stepOnPrintable(from, to);
  step(from, 0xc2, 0xdf, CONTINUED[1]);
  step(from, 0xe0, 0xef, CONTINUED[2]);
  step(from, 0xf0, 0xf4, CONTINUED[3]);
}
for (const left of [1, 2, 3] as const) step(CONTINUED[left], 0x80, 0xbf, CONTINUED[left - 1] ?? NARROW);
step(TEXT_INSIDE, 0x80, 0xbf, TEXT_INSIDE);
step(NARROW, 0, 0, NARROW);
step(ONE_CHARACTER, 0, 0, LITTLE_CHARACTER);
stepOnPrintable(LITTLE_CHARACTER, LITTLE_ZERO);
step(LITTLE_ZERO, 0, 0, LITTLE_CHARACTER);
for (const start of [TEXT_START, TEXT_INSIDE]) {
  step(start, 0, 0, BIG_CHARACTER);
  step(start, 0xff, 0xff, LITTLE_MARK);
  step(start, 0xfe, 0xfe, BIG_MARK);
}
stepOnPrintable(BIG_CHARACTER, BIG_ZERO);
step(BIG_ZERO, 0, 0, BIG_CHARACTER);
step(LITTLE_MARK, 0xfe, 0xfe, LITTLE_CHARACTER);
step(BIG_MARK, 0xff, 0xff, BIG_ZERO);

/** Returns the state after another byte, or `NO_TEXT` if the bytes are not text. */
export function stepText(state: number, byte: number): number {
  return steps[state * 256 + byte] ?? NO_TEXT;
}

/** Reports whether the bytes so far are UTF-16. */
export function isWide(state: number): boolean {
  return state >= LITTLE_CHARACTER;
}
