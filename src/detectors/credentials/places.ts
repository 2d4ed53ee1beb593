import { MAX_VALUE_CHARS, isStandIn } from './values.ts';
import { CODES } from '../../json/codes.ts';
import { stickyEnd } from '../../text/sticky.ts';
import { entropyOf } from '../secrets/randomness.ts';

export interface ValueSpan {
  readonly start: number;
  readonly end: number;
  readonly isQuoted: boolean;
  /** End of the text on which the value depends. Exceeds the text if more text may change the value. */
  readonly readTo: number;
  /** Whether the quotes are closed and the value is not too long. */
  readonly isWhole: boolean;
  readonly endsLine: boolean;
}

const OPENING = /[bruBRU@]?(\\{0,3})(["'`])/y;
const { BACKSLASH } = CODES;

/** Returns the value in the quotes that open at `at`, or undefined. The end of the text also closes quotes. */
export function quotedAt(text: string, at: number): ValueSpan | undefined {
  OPENING.lastIndex = at;
  const opening = OPENING.exec(text);
  if (opening === null) return undefined;
  const [whole, escape = '', quote = ''] = opening;
  const start = at + whole.length;
  const limit = Math.min(text.length, start + MAX_VALUE_CHARS + 1);
  const code = quote.charCodeAt(0);
  for (let end = start; end < limit; end += 1) {
    const here = text.charCodeAt(end);
    if (here === code) return quoted(start, end, true);
    if (here === 10 || here === 13) return quoted(start, end, false);
    if (here !== BACKSLASH) continue;
    if (escape !== '' && closes(text, end, code)) return quoted(start, end, true);
    if (escape === '') end += 1;
  }
  return quoted(start, Math.min(limit, text.length), limit === text.length);
}

function quoted(start: number, end: number, isWhole: boolean): ValueSpan {
  return { start, end, isQuoted: true, readTo: end + 1, isWhole, endsLine: false };
}

function closes(text: string, at: number, quote: number): boolean {
  let next = at;
  while (text.charCodeAt(next) === BACKSLASH && next < at + 4) next += 1;
  return text.charCodeAt(next) === quote;
}

const UNQUOTED = /[^\s"'`\\;,&<>|]{1,257}/y;
const LINE_REST = /[^\s]{1,257}/y;
const AFTER_CHARS = 9;
/** Matches a line with code or another assignment, before which the value ends. */
const NOT_LINE = /["'`;,|\\]$|\\|[;&,][\w .-]{1,40}=/;

export function unquotedAt(text: string, at: number, takesLine: boolean): ValueSpan | undefined {
  const line = takesLine ? stickyEnd(LINE_REST, text, at) : undefined;
  const isLine = line !== undefined && endsLine(text, line) && !NOT_LINE.test(text.slice(at, line));
  const end = isLine ? line : stickyEnd(UNQUOTED, text, at);
  if (end === undefined) return undefined;
  const readTo = Math.max(end, line ?? 0) + AFTER_CHARS;
  return {
    start: at,
    end: isLine ? end : withoutPunctuation(text, at, end),
    isQuoted: false,
    readTo,
    isWhole: end - at <= MAX_VALUE_CHARS,
    endsLine: endsLine(text, end),
  };
}

function endsLine(text: string, at: number): boolean {
  return /^(?:[ \t]{0,7}(?:\r?\n|$)|[ \t]{1,7}#)/.test(text.slice(at, at + AFTER_CHARS));
}

/** Excludes trailing punctuation, which belongs to the surrounding sentence or code. */
function withoutPunctuation(text: string, start: number, end: number): number {
  let last = end;
  while (last > start) {
    const value = text.slice(start, last);
    const isClosing = /[)\]}]$/.test(value) && !/[([{]/.test(value);
    if (!isClosing && !/[.:。，、）]$/.test(value)) break;
    last -= 1;
  }
  return last;
}

interface Userinfo {
  readonly start: number;
  readonly end: number;
  /** End of the text on which the result depends. Exceeds the text if more text may change the result. */
  readonly readTo: number;
  readonly isSecret: boolean;
}

const USER = /[^\s/?#"'<>`\\:@]{0,128}:/y;
const PASSWORD = /[^\s/?#"'<>`\\]{0,200}/y;
/** A password that is not percent-encoded. */
const LOOSE_PASSWORD = /[^\s"'<>`\\]{0,200}/y;
const PORT = /^\d{0,5}(?:[/?#]|$)/;
const HOST = /[\w[.{%*-]/;
const TOKEN = /[\w~-]{0,200}/y;
const MIN_TOKEN_CHARS = 20;
const MIN_PASSWORD_CHARS = 3;

/** Returns the password in the URL authority at `at`, or a token in place of the user. */
export function userinfoAt(text: string, at: number): Userinfo | undefined {
  const start = stickyEnd(USER, text, at);
  if (start === undefined) return tokenAt(text, at);
  const strict = passwordAt(text, start, PASSWORD);
  if (strict.end > start || strict.readTo > text.length || start - at < 2) return strict;
  if (PORT.test(text.slice(start, start + 6))) return undefined;
  return passwordAt(text, start, LOOSE_PASSWORD);
}

function passwordAt(text: string, start: number, characters: RegExp): Userinfo {
  const runEnd = stickyEnd(characters, text, start) ?? start;
  const run = text.slice(start, runEnd);
  const at = run.lastIndexOf('@');
  const password = at === -1 ? '' : run.slice(0, at);
  const isBeforeHost = HOST.test(text[start + at + 1] ?? '');
  const isSecret = at !== -1 && isBeforeHost && isUrlPassword(password);
  return { start, end: start + Math.max(at, 0), readTo: runEnd + 1, isSecret };
}

function isUrlPassword(password: string): boolean {
  return password.length >= MIN_PASSWORD_CHARS && !PORT.test(password) && !isStandIn(password);
}

/** Finds the token in `https://TOKEN@host`. Tokens are random, unlike user names. */
function tokenAt(text: string, at: number): Userinfo {
  const end = stickyEnd(TOKEN, text, at) ?? at;
  const token = text.slice(at, end);
  const isRandom =
    token.length >= MIN_TOKEN_CHARS && /\d/.test(token) && /[A-Za-z]/.test(token) && entropyOf(token) >= 3.2;
  const isSecret = text[end] === '@' && isRandom && !isStandIn(token);
  return { start: at, end, readTo: end + 1, isSecret };
}
