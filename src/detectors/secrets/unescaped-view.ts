import type { Work } from '../../turns.ts';
import { ViewShifts } from '../view-shifts.ts';

/** A text as a reader of JSON sees it, and where its characters came from. */
export interface TextView {
  readonly text: string;
  /** The offset in the given text that the character at `at` began at. */
  readonly toOriginal: (at: number) => number;
}

/** What may follow a backslash, by its code: a letter of JSON's escapes. */
const MEANINGS = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([letter, meaning]) => [letter.charCodeAt(0), meaning],
  ),
);
const BACKSLASH = 0x5c;
const UNICODE = /u[0-9a-fA-F]{4}/y;
/**
 * More backslashes in a row are no escapes but a drawing. Whoever sees the end of a row knows how it is read, without
 * going back to its beginning.
 */
const MAX_ROW_CHARS = 64;

/** What is read so far. */
interface Reading {
  readonly text: string;
  /** From where each escape ended in the view. */
  readonly shifts: ViewShifts;
  read: number;
  /** What is read last is a drawing, which may go on. */
  isDrawing: boolean;
  /** The view: of each step that is done, and the pieces of the one that is not. */
  readonly steps: string[];
  readonly pieces: string[];
  viewLength: number;
}

function startReading(text: string): Reading {
  return { text, shifts: new ViewShifts(), read: 0, isDrawing: false, steps: [], pieces: [], viewLength: 0 };
}

/**
 * Reads JSON's escapes (RFC 8259 section 7) out of a text, one level deep; a backslash that begins none stays.
 * `undefined` when there is none. Yields after every `stepChars` characters, so that a caller can give way.
 */
export function* unescaped(text: string, stepChars: number): Work<TextView | undefined> {
  const reading = startReading(text);
  readUntil(reading, Math.min(text.length, stepChars));
  while (reading.read < text.length) {
    yield;
    readUntil(reading, Math.min(text.length, reading.read + stepChars));
  }
  return viewOf(reading);
}

/** A JSON text in a JSON string is escaped twice; deeper is not looked. */
const ESCAPE_LEVELS = 2;

/** A text as readers of one and of two levels of JSON's escapes see it, where that is another; steps as `unescaped`. */
export function* escapeViews(text: string, stepChars: number): Work<readonly TextView[]> {
  const views: TextView[] = [];
  for (let last: TextView = { text, toOriginal: (at) => at }; views.length < ESCAPE_LEVELS;) {
    const view = last.text.includes('\\') ? yield* unescaped(last.text, stepChars) : undefined;
    if (view === undefined) break;
    const { toOriginal } = last;
    last = { text: view.text, toOriginal: (at) => toOriginal(view.toOriginal(at)) };
    views.push(last);
  }
  return views;
}

function viewOf({ steps, shifts }: Reading): TextView | undefined {
  if (shifts.isEmpty) return undefined;
  return { text: steps.join(''), toOriginal: (at) => at + shifts.shiftAt(at) };
}

/** Reads one step; an escape that begins in it is read whole. */
function readUntil(reading: Reading, end: number): void {
  const { text } = reading;
  if (reading.isDrawing) readDrawing(reading, reading.read, end);
  for (
    let at = text.indexOf('\\', reading.read);
    at !== -1 && at < end;
    at = text.indexOf('\\', Math.max(at, reading.read))
  ) {
    const rowEnd = endOfRow(text, at, at + MAX_ROW_CHARS + 1);
    if (rowEnd - at > MAX_ROW_CHARS) {
      readDrawing(reading, rowEnd, end);
      continue;
    }
    for (; at + 1 < rowEnd; at += 2) readEscape(reading, at, at + 2, '\\');
    if (at < rowEnd) at = readLast(reading, at);
  }
  if (reading.read < end) copyUntil(reading, end);
  reading.steps.push(reading.pieces.join(''));
  reading.pieces.length = 0;
}

/** On from an offset in it, as far as this step goes. */
function readDrawing(reading: Reading, from: number, end: number): void {
  const drawnTo = endOfRow(reading.text, from, end);
  copyUntil(reading, drawnTo);
  reading.isDrawing = reading.text.charCodeAt(drawnTo) === BACKSLASH;
}

/** The backslash that ends a row, and what it escapes. */
function readLast(reading: Reading, at: number): number {
  const { text } = reading;
  const meaning = MEANINGS.get(text.charCodeAt(at + 1));
  if (meaning !== undefined) return readEscape(reading, at, at + 2, meaning);
  UNICODE.lastIndex = at + 1;
  if (!UNICODE.test(text)) return at + 1;
  return readEscape(
    reading,
    at,
    at + 6,
    String.fromCharCode(Number.parseInt(text.slice(at + 2, at + 6), 16)),
  );
}

function readEscape(reading: Reading, at: number, end: number, meaning: string): number {
  copyUntil(reading, at);
  reading.pieces.push(meaning);
  reading.viewLength += 1;
  reading.read = end;
  reading.shifts.add(reading.viewLength, end - reading.viewLength);
  return end;
}

function copyUntil(reading: Reading, end: number): void {
  if (reading.read < end) reading.pieces.push(reading.text.slice(reading.read, end));
  reading.viewLength += end - reading.read;
  reading.read = end;
}

/** Where the backslashes end that stand at an offset, or `most`. */
function endOfRow(text: string, start: number, most: number): number {
  let at = start;
  while (at < most && text.charCodeAt(at) === BACKSLASH) at += 1;
  return at;
}

/** Longest beginning of an escape that may yet become one: `\u` and three digits. */
const MAX_UNFINISHED_CHARS = 5;

/** Where an escape begins that the text's end cuts short, or a row of backslashes that may go on; else the length. */
export function unfinishedEscapeAt(text: string): number {
  const from = Math.max(0, text.length - MAX_UNFINISHED_CHARS);
  for (let at = text.length - 1; at >= from; at -= 1) {
    if (text.charCodeAt(at) === BACKSLASH) return unfinishedFrom(text, at);
  }
  return text.length;
}

function unfinishedFrom(text: string, lastBackslash: number): number {
  let start = lastBackslash;
  while (lastBackslash - start < MAX_ROW_CHARS && text.charCodeAt(start - 1) === BACKSLASH) start -= 1;
  const rowChars = lastBackslash + 1 - start;
  if (rowChars > MAX_ROW_CHARS) return text.length;
  if (lastBackslash === text.length - 1) return start;
  const isCut = rowChars % 2 === 1 && /^u[0-9a-fA-F]{0,3}$/.test(text.slice(lastBackslash + 1));
  return isCut ? lastBackslash : text.length;
}
