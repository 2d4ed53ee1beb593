import { entropyOf } from '../secrets/randomness.ts';
import { isStandIn } from './values.ts';
import { stickyEnd } from '../../text/sticky.ts';

export interface Userinfo {
  readonly start: number;
  readonly end: number;
  /** End of the text that was read. More text may change the result. */
  readonly readTo: number;
  readonly isSecret: boolean;
}

const USER = /[^\s/?#"'<>`\\:@]{0,128}:/y;
const PASSWORD = /[^\s/?#"'<>`\\]{0,200}/y;
/** A password that is not escaped as URLs require. */
const LOOSE_PASSWORD = /[^\s"'<>`\\]{0,200}/y;
const PORT = /^\d{0,5}(?:[/?#]|$)/;
const HOST = /[\w[.{%*-]/;
const TOKEN = /[\w~-]{0,200}/y;
const MIN_TOKEN_CHARS = 20;
const MIN_PASSWORD_CHARS = 3;

/** Returns the password of the URL whose authority begins at `at`, or a token in place of the user. */
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

/** Reads `https://TOKEN@host`. A token is random, unlike a user name. */
function tokenAt(text: string, at: number): Userinfo {
  const end = stickyEnd(TOKEN, text, at) ?? at;
  const token = text.slice(at, end);
  const isRandom =
    token.length >= MIN_TOKEN_CHARS && /\d/.test(token) && /[A-Za-z]/.test(token) && entropyOf(token) >= 3.2;
  const isSecret = text[end] === '@' && isRandom && !isStandIn(token);
  return { start: at, end, readTo: end + 1, isSecret };
}
