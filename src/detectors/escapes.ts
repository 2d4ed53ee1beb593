import { isWordCode } from './characters.ts';

const BACKSLASH = 92;

/** An escape of JSON (RFC 8259 section 7). */
const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/y;
const ESCAPE_CHARS = 6;

/** Backslashes in a row that are counted; in longer rows the rest makes no difference. */
const MAX_BACKSLASHES = 40;

/**
 * Where the escape ends that the character before `at` belongs to: behind `at` where that is inside one, `at` right
 * behind one; undefined where there is none. Text inside JSON that is scanned as it stands has these: the address in
 * `\nann@example.org`, with a backslash in it, begins behind the `n`.
 */
export function escapeEnd(text: string, at: number): number | undefined {
  for (let from = at - 1; from >= 0 && from >= at - ESCAPE_CHARS; from -= 1) {
    if (text.charCodeAt(from) !== BACKSLASH) continue;
    if (isEscaped(text, from)) return from === at - 1 ? at : undefined;
    ESCAPE.lastIndex = from;
    const end = ESCAPE.test(text) ? ESCAPE.lastIndex : from + 1;
    return end >= at ? end : undefined;
  }
  return undefined;
}

/** `at`, or the end of the escape that it lies in. */
export function behindEscape(text: string, at: number): number {
  return escapeEnd(text, at) ?? at;
}

/** False right behind a letter, a digit or an underscore, and inside of an escape; an escape is no part of a word. */
export function beginsWord(text: string, at: number): boolean {
  if (at === 0) return true;
  const end = escapeEnd(text, at);
  return end === undefined ? !isWordCode(text.charCodeAt(at - 1)) : end === at;
}

/** A backslash that another one stands before, which makes it a written one. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (from > 0 && from > at - MAX_BACKSLASHES && text.charCodeAt(from - 1) === BACKSLASH) from -= 1;
  return (at - from) % 2 === 1;
}
