import { isWordCode } from './characters.ts';
import { CODES } from '../json/codes.ts';

const { BACKSLASH } = CODES;

/** An escape of JSON (RFC 8259 section 7). */
const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/y;
const ESCAPE_CHARS = 6;

/** Backslashes counted in a row; more make no difference. */
const MAX_BACKSLASHES = 40;

/**
 * Returns the end of the JSON escape around or right before `at`, if any. In `
 * ann@example.org`, `ann` begins a word.
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

/** Returns `at`, or the end of the escape around it. */
export function afterEscape(text: string, at: number): number {
  return escapeEnd(text, at) ?? at;
}

/** Reports whether a word may begin at `at`: not after a letter, digit or underscore, nor inside an escape. */
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
