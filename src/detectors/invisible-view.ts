import { isHighSurrogate } from '../text/surrogates.ts';
import { invisibleRanges } from '../normalize/characters.ts';
import { UnitReader } from '../text/units.ts';
import { runNow, type Work } from '../turns.ts';
import { unescaped, unfinishedEscapeAt } from './secrets/unescaped-view.ts';
import { ViewShifts } from './view-shifts.ts';

/** A text without what prints nothing, and where its characters came from. */
export interface VisibleView {
  readonly text: string;
  /** The offset in the given text of the character at `at`. */
  readonly toOriginal: (at: number) => number;
  /** The offset behind the character before `at`. */
  readonly endToOriginal: (at: number) => number;
}

const RANGES = invisibleRanges.map(([first, last]) => `${escaped(first)}-${escaped(last)}`).join('');
/** First halves of characters of which some print nothing, where the other half has not come. */
const HALVES = String.raw`[\ud82f\ud834\udb40-\udb43]$`;
const INVISIBLE = new RegExp(`[${RANGES}]+|${HALVES}`, 'u');
const RUNS = new RegExp(INVISIBLE, 'gu');

function escaped(codePoint: number): string {
  return `\\u{${codePoint.toString(16)}}`;
}

/** 1 for units that are invisible or the first half of what may be. */
const marks = new Uint8Array(0x10000);
for (const [first, last] of invisibleRanges) {
  const [from, to] = [first, last].map((codePoint) => String.fromCodePoint(codePoint).charCodeAt(0));
  marks.fill(1, from, (to ?? 0) + 1);
}

const CHUNK_CHARS = 8_192;
const reader = new UnitReader(CHUNK_CHARS);

/** What most texts consist of is passed over fastest by an expression. */
const BEYOND_PLAIN = /[^\t\n\v\f\r\x20-\x7e]/;

/** As `INVISIBLE` finds it, which takes ten times as long over letters beyond ASCII. */
function hasInvisible(text: string): boolean {
  const isMarked = marks;
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

/** Read at once before others may get a turn. */
const STEP_CHARS = 32_768;

/** Whether a short text has characters that print nothing, or JSON's escapes, which may stand for some. */
export function mayHide(text: string): boolean {
  return text.includes('\\u') || text.endsWith('\\') || hasInvisible(text);
}

/**
 * A text as whoever copies it takes it: without the characters that print nothing, as it stands and with JSON's escapes
 * read. None where it has none. Linear; yields after every 32,768 characters, so that a caller can give way.
 */
export function* visibleViews(text: string): Work<readonly VisibleView[]> {
  const views: VisibleView[] = [];
  const shown = yield* withoutInvisible(text);
  if (shown !== undefined) views.push(shown);
  const read = yield* escapesShown(text);
  const visible = read && (yield* withoutInvisible(read.text));
  if (read !== undefined && visible !== undefined) views.push(behind(read, visible));
  return views;
}

/** The same at once, for short texts. */
export function visibleViewsOf(text: string): readonly VisibleView[] {
  return runNow(visibleViews(text));
}

/**
 * What a short text may be part of once more of it has come: the same, and with its escapes read also where none of them
 * stands for what prints nothing, for the next one may.
 */
export function openViewsOf(text: string): readonly VisibleView[] {
  const views = visibleViewsOf(text);
  const read = runNow(escapesShown(text));
  return read === undefined ? views : [...views, { ...read, endToOriginal: read.toOriginal }];
}

/** What may yet become an escape is no part of it; undefined where there is none. */
function* escapesShown(text: string): Work<ReadText | undefined> {
  if (!(yield* hasCodes(text))) return undefined;
  return yield* unescaped(text.slice(0, unfinishedEscapeAt(text)), STEP_CHARS);
}

type ReadText = Pick<VisibleView, 'text' | 'toOriginal'>;

function behind(read: ReadText, visible: VisibleView): VisibleView {
  return {
    text: visible.text,
    toOriginal: (at) => read.toOriginal(visible.toOriginal(at)),
    endToOriginal: (at) => read.toOriginal(visible.endToOriginal(at)),
  };
}

/** Whether some character may be written as a code. A search for two characters stops at each backslash. */
function* hasCodes(text: string): Work<boolean> {
  for (let from = 0; from < text.length; from += STEP_CHARS) {
    if (text.slice(from, from + STEP_CHARS + 1).includes('\\u')) return true;
    if (from + STEP_CHARS < text.length) yield;
  }
  return false;
}

function* withoutInvisible(text: string): Work<VisibleView | undefined> {
  /** The view: what was read in each step. */
  const steps: string[] = [];
  /** From where each run stood in the view. */
  const shifts = new ViewShifts();
  let copied = 0;
  let length = 0;
  for (let from = 0; from < text.length;) {
    const to = wholeUpTo(text, from + STEP_CHARS);
    const parts: string[] = [];
    for (const { 0: run, index } of text.slice(from, to).matchAll(RUNS)) {
      const start = from + index;
      parts.push(text.slice(copied, start));
      length += start - copied;
      copied = start + run.length;
      shifts.add(length, copied - length);
    }
    parts.push(text.slice(copied, to));
    length += to - copied;
    copied = to;
    steps.push(parts.join(''));
    from = to;
    if (from < text.length) yield;
  }
  if (shifts.isEmpty) return undefined;
  const toOriginal = (at: number): number => at + shifts.shiftAt(at);
  return { text: steps.join(''), toOriginal, endToOriginal: (at) => toOriginal(at - 1) + 1 };
}

/** The offset, or the one behind it where it would part the halves of a character. */
function wholeUpTo(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  return isHighSurrogate(text.charCodeAt(offset - 1)) ? offset + 1 : offset;
}

/**
 * An offset behind which at least `count` characters that print something stand before `end`; 0 where there are fewer.
 */
export function visibleFrom(text: string, end: number, count: number): number {
  let from = Math.max(0, end - count);
  let visible = visibleChars(text, from, end);
  // Each step takes as much again, so that a long run of invisible ones is read in a few.
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
