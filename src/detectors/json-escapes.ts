import { CODES } from '../json/codes.ts';
import type { Work } from '../turns.ts';
import { asGiven, editInSteps, viewThrough, type EditedText, type TextView } from '../inspect/offset-map.ts';
import { isWordCode } from './characters.ts';
import { stickyEnd } from '../text/sticky.ts';

const { BACKSLASH } = CODES;

/** A JSON escape (RFC 8259 section 7). */
const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/y;
const ESCAPE_CHARS = 6;

/** Limit for counting a backslash run. Longer runs are treated as even. */
const MAX_BACKSLASHES = 40;

/** Returns the end of the JSON escape around or directly before `at`, or undefined. In `\nann`, `ann` is a word. */
export function escapeEnd(text: string, at: number): number | undefined {
  for (let from = at - 1; from >= 0 && from >= at - ESCAPE_CHARS; from -= 1) {
    if (text.charCodeAt(from) !== BACKSLASH) continue;
    if (isEscaped(text, from)) return from === at - 1 ? at : undefined;
    const end = stickyEnd(ESCAPE, text, from) ?? from + 1;
    return end >= at ? end : undefined;
  }
  return undefined;
}

/** Returns `at`, or the end of the escape that contains it. */
export function afterEscape(text: string, at: number): number {
  return escapeEnd(text, at) ?? at;
}

/** Reports whether a word may begin at `at`: neither after a word character (`\w`) nor inside an escape. */
export function beginsWord(text: string, at: number): boolean {
  if (at === 0) return true;
  const end = escapeEnd(text, at);
  return end === undefined ? !isWordCode(text.charCodeAt(at - 1)) : end === at;
}

function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (from > 0 && from > at - MAX_BACKSLASHES && text.charCodeAt(from - 1) === BACKSLASH) from -= 1;
  return (at - from) % 2 === 1;
}

const MEANINGS = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([letter, meaning]) => [letter.charCodeAt(0), meaning],
  ),
);
const UNICODE = /u[0-9a-fA-F]{4}/y;
/** Longer backslash runs are ASCII art and are not decoded. */
const MAX_RUN_CHARS = 64;

/** Decodes one level of JSON escapes. Returns undefined if there are none. Yields every `stepChars` characters. */
export function unescaped(text: string, stepChars: number): Work<TextView | undefined> {
  /** Whether the copied part ends in ASCII art that may continue. */
  let isDrawing = false;
  function copyDrawing(edited: EditedText, from: number, to: number): void {
    edited.copyTo(endOfRun(text, from, to));
    isDrawing = text.charCodeAt(edited.copied) === BACKSLASH;
  }
  return editInSteps(text, stepChars, (edited, from, to) => {
    if (isDrawing) copyDrawing(edited, from, to);
    for (
      let at = text.indexOf('\\', edited.copied);
      at !== -1 && at < to;
      at = text.indexOf('\\', Math.max(at, edited.copied))
    ) {
      const runEnd = endOfRun(text, at, at + MAX_RUN_CHARS + 1);
      if (runEnd - at > MAX_RUN_CHARS) {
        copyDrawing(edited, runEnd, to);
        continue;
      }
      for (; at + 1 < runEnd; at += 2) edited.replace(at, at + 2, '\\');
      if (at < runEnd) at = decodeEscape(text, at, edited);
    }
    return to;
  });
}

/** Decodes the escape that begins with the last backslash of a run. Returns its end. */
function decodeEscape(text: string, at: number, edited: EditedText): number {
  const meaning = MEANINGS.get(text.charCodeAt(at + 1));
  if (meaning !== undefined) {
    edited.replace(at, at + 2, meaning);
    return at + 2;
  }
  UNICODE.lastIndex = at + 1;
  if (!UNICODE.test(text)) return at + 1;
  edited.replace(at, at + 6, String.fromCharCode(Number.parseInt(text.slice(at + 2, at + 6), 16)));
  return at + 6;
}

/** JSON in a JSON string, such as tool arguments, is escaped twice. Deeper levels are ignored. */
export const ESCAPE_LEVELS = 2;

/** Returns views with one and with two levels of JSON escapes decoded, if the text has them. */
export function* escapeViews(text: string, stepChars: number): Work<readonly TextView[]> {
  const views: TextView[] = [];
  for (let last = asGiven(text); views.length < ESCAPE_LEVELS;) {
    const view = last.text.includes('\\') ? yield* unescaped(last.text, stepChars) : undefined;
    if (view === undefined) break;
    last = views.length === 0 ? view : viewThrough(last, view);
    views.push(last);
  }
  return views;
}

function endOfRun(text: string, start: number, most: number): number {
  let at = start;
  while (at < most && text.charCodeAt(at) === BACKSLASH) at += 1;
  return at;
}

const MAX_UNFINISHED_CHARS = 5;

/** Returns the start of a truncated escape or of a backslash run that may continue, or the text length. */
export function unfinishedEscapeAt(text: string): number {
  const from = Math.max(0, text.length - MAX_UNFINISHED_CHARS);
  for (let at = text.length - 1; at >= from; at -= 1) {
    if (text.charCodeAt(at) === BACKSLASH) return unfinishedFrom(text, at);
  }
  return text.length;
}

function unfinishedFrom(text: string, lastBackslash: number): number {
  let start = lastBackslash;
  while (lastBackslash - start < MAX_RUN_CHARS && text.charCodeAt(start - 1) === BACKSLASH) start -= 1;
  const runChars = lastBackslash + 1 - start;
  if (runChars > MAX_RUN_CHARS) return text.length;
  if (lastBackslash === text.length - 1) return start;
  const isTruncated = runChars % 2 === 1 && /^u[0-9a-fA-F]{0,3}$/.test(text.slice(lastBackslash + 1));
  return isTruncated ? lastBackslash : text.length;
}
