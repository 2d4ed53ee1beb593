/** A text as a reader of JSON sees it, and where its characters came from. */
export interface TextView {
  readonly text: string;
  /** The offset in the given text that the character at `at` began at. */
  readonly toGiven: (at: number) => number;
}

const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/;
const ESCAPE_HERE = new RegExp(ESCAPE.source, 'y');
const MEANINGS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** What is read so far; where each escape ended in the view, and how far the given text is ahead from there on. */
interface Reading {
  readonly text: string;
  readonly chunks: string[];
  readonly starts: number[];
  readonly shifts: number[];
  read: number;
  viewLength: number;
}

/**
 * Reads JSON's escapes (RFC 8259 section 7) out of a text, one level deep; a backslash that begins none stays.
 * `undefined` when there is none. Yields after every `stepChars` characters, so that a caller can give way.
 */
export function* unescaped(text: string, stepChars: number): Generator<undefined, TextView | undefined> {
  if (!ESCAPE.test(text)) return undefined;
  const reading: Reading = { text, chunks: [], starts: [], shifts: [], read: 0, viewLength: 0 };
  while (reading.read < text.length) {
    if (reading.read > 0) yield;
    readUntil(reading, Math.min(text.length, reading.read + stepChars));
  }
  const { starts, shifts } = reading;
  return { text: reading.chunks.join(''), toGiven: (at) => at + shiftAt(starts, shifts, at) };
}

/** Reads one step; an escape that begins in it is read whole. */
function readUntil(reading: Reading, end: number): void {
  const { text, starts, shifts } = reading;
  const parts: string[] = [];
  let at = text.indexOf('\\', reading.read);
  while (at !== -1 && at < end) {
    ESCAPE_HERE.lastIndex = at;
    if (!ESCAPE_HERE.test(text)) {
      at = text.indexOf('\\', at + 1);
      continue;
    }
    const escapeEnd = ESCAPE_HERE.lastIndex;
    parts.push(text.slice(reading.read, at), meaningOf(text, at + 1, escapeEnd));
    reading.viewLength += at - reading.read + 1;
    reading.read = escapeEnd;
    starts.push(reading.viewLength);
    shifts.push(escapeEnd - reading.viewLength);
    at = text.charCodeAt(escapeEnd) === 92 ? escapeEnd : text.indexOf('\\', escapeEnd);
  }
  if (reading.read < end) {
    parts.push(text.slice(reading.read, end));
    reading.viewLength += end - reading.read;
    reading.read = end;
  }
  reading.chunks.push(parts.join(''));
}

function meaningOf(text: string, at: number, end: number): string {
  const kind = text.charAt(at);
  if (kind === 'u') return String.fromCharCode(Number.parseInt(text.slice(at + 1, end), 16));
  return MEANINGS[kind] ?? kind;
}

/** The shift of the last escape that ends at or before `at`. */
function shiftAt(starts: readonly number[], shifts: readonly number[], at: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : (shifts[low - 1] ?? 0);
}
