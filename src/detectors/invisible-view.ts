import { invisibleRanges } from '../normalize/characters.ts';
import { isHighSurrogate, UnitReader } from '../text/units.ts';
import type { Work } from '../turns.ts';
import { unescaped, unfinishedEscapeAt } from './json-escapes.ts';
import { editInSteps, viewThrough, type TextView } from '../inspect/offset-map.ts';

const RANGES = invisibleRanges.map(([first, last]) => `${escaped(first)}-${escaped(last)}`).join('');
/** Matches a trailing high surrogate that may begin an invisible character. */
const HALVES = String.raw`[\ud82f\ud834\udb40-\udb43]$`;
const INVISIBLE = new RegExp(`[${RANGES}]+|${HALVES}`, 'u');
const RUNS = new RegExp(INVISIBLE, 'gu');

function escaped(codePoint: number): string {
  return `\\u{${codePoint.toString(16)}}`;
}

/** 1 for invisible code units, and for high surrogates that may begin an invisible character. */
const marks = new Uint8Array(0x10000);
for (const [first, last] of invisibleRanges) {
  const [from, to] = [first, last].map((codePoint) => String.fromCodePoint(codePoint).charCodeAt(0));
  marks.fill(1, from, (to ?? 0) + 1);
}

const CHUNK_CHARS = 8_192;
const reader = new UnitReader(CHUNK_CHARS);

const BEYOND_PLAIN = /[^\t\n\v\f\r\x20-\x7e]/;

const fours = new Int32Array(CHUNK_CHARS);
const ascii = Buffer.from(fours.buffer);
const SPACE = 0x20;

/** Scans up to 32,768 ASCII characters for invisible ones, four at a time. */
function hasControls(text: string, isMarked: Uint8Array): boolean {
  const { length } = text;
  ascii.write(text, 'latin1');
  ascii.fill(SPACE, length, (length + 3) & ~3);
  for (let at = 0; at < length; at += 4) {
    const four = fours[at >> 2] ?? 0;
    // The highest bit of each byte is set if the byte is below a space or is DEL.
    if (((((four - 0x20202020) & ~four) | (four + 0x01010101)) & 0x80808080) === 0) continue;
    for (let byte = at; byte < at + 4; byte++) if (isMarked[ascii[byte] ?? 0] === 1) return true;
  }
  return false;
}

/** Finds the same characters as `INVISIBLE`, but ten times faster in non-ASCII text. */
function hasInvisible(text: string): boolean {
  const isMarked = marks;
  const isShortAscii = text.length <= CHUNK_CHARS * 4 && Buffer.byteLength(text) === text.length;
  if (isShortAscii) return hasControls(text, isMarked);
  const first = text.search(BEYOND_PLAIN);
  if (first < 0) return false;
  for (let from = first; from < text.length; from += CHUNK_CHARS) {
    const length = Math.min(text.length - from, CHUNK_CHARS);
    const units = reader.read(text.slice(from, from + length));
    for (let at = 0; at < length; at++) {
      if (isMarked[units[at] ?? 0] === 0) continue;
      if (!isHighSurrogate(units[at] ?? 0)) return true;
      if (INVISIBLE.test(text.slice(from + at, from + at + 2))) return true;
    }
  }
  return false;
}

const STEP_CHARS = 32_768;

/** Reports whether a short text contains invisible characters, or whole or truncated escapes that may be such. */
export function mayHide(text: string): boolean {
  return text.includes('\\u') || text.endsWith('\\') || hasInvisible(text);
}

/**
 * Returns views of a text without its invisible characters: as written, and with JSON escapes decoded.
 * @param mayContinue whether to also return the decoded view with its invisible characters
 */
export function* visibleViews(text: string, mayContinue = false): Work<readonly TextView[]> {
  const views: TextView[] = [];
  const shown = yield* withoutInvisible(text);
  if (shown !== undefined) views.push(shown);
  if (!(yield* hasUnicodeEscapes(text))) return views;
  const read = yield* unescaped(text.slice(0, unfinishedEscapeAt(text)), STEP_CHARS);
  if (read === undefined) return views;
  const visible = yield* withoutInvisible(read.text);
  if (visible !== undefined) views.push(viewThrough(read, visible));
  if (mayContinue) views.push(read);
  return views;
}

/** Searches in steps, because searching megabytes of backslashes at once would take too long. */
function* hasUnicodeEscapes(text: string): Work<boolean> {
  for (let from = 0; from < text.length; from += STEP_CHARS) {
    if (text.slice(from, from + STEP_CHARS + 1).includes('\\u')) return true;
    if (from + STEP_CHARS < text.length) yield;
  }
  return false;
}

function withoutInvisible(text: string): Work<TextView | undefined> {
  return editInSteps(text, STEP_CHARS, (edited, from, to) => {
    const end = wholeUpTo(text, to);
    for (const { 0: run, index } of text.slice(from, end).matchAll(RUNS)) {
      edited.replace(from + index, from + index + run.length, '');
    }
    return end;
  });
}

function wholeUpTo(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  return isHighSurrogate(text.charCodeAt(offset - 1)) ? offset + 1 : offset;
}

/** Returns an offset with at least `count` visible characters between it and `end`, or 0 if there are fewer. */
export function visibleFrom(text: string, end: number, count: number): number {
  let from = Math.max(0, end - count);
  let visible = visibleChars(text, from, end);
  // Doubling the distance crosses a long invisible run in few steps.
  while (from > 0 && visible < count) {
    const before = Math.max(0, from - Math.max(count - visible, end - from));
    visible += visibleChars(text, before, from);
    from = before;
  }
  return from;
}

function visibleChars(text: string, from: number, to: number): number {
  const slice = text.slice(from, to);
  return INVISIBLE.test(slice) ? slice.replace(RUNS, '').length : slice.length;
}
