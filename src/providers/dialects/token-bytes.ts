import { ITEM_CHARS, type Work } from '../../turns.ts';
import type { TokenText } from '../dialect.ts';
import { arrayOf } from './fields.ts';

/** A listed token and the `bytes` beside it: the UTF-8 of its text, or part of a character's. */
export interface TokenBytes {
  readonly token: TokenText;
  readonly bytes: unknown;
}

/**
 * Adds the text that the list's bytes spell, on a channel of its own, if it differs from the tokens. A split
 * character belongs to the token with its last byte.
 */
export function* addSpelledBytes(into: TokenText[], list: readonly TokenBytes[]): Work<void> {
  if (!(yield* isAnyOther(list))) return;
  const decoder = new TextDecoder();
  for (const { token, bytes } of list) {
    const text = decoder.decode(tokenBytes(token.text, bytes), { stream: true });
    into.push({ channel: `${token.channel}/bytes`, text, blank: token.blank });
    yield ITEM_CHARS;
  }
}

function* isAnyOther(list: readonly TokenBytes[]): Work<boolean> {
  for (const { token, bytes } of list) {
    if (saysOther(token.text, bytes)) return true;
    yield ITEM_CHARS;
  }
  return false;
}

/** Reports whether the bytes beside a token differ from its text. */
export function saysOther(text: string, bytes: unknown): boolean {
  if (!Array.isArray(bytes)) return false;
  if (bytes.length === text.length && isAscii(text, bytes)) return false;
  const given = tokenBytes(text, bytes);
  const own = ESCAPED.test(text) ? escapedBytes(text) : Buffer.from(text);
  if (own.equals(given)) return false;
  // A string cannot hold part of a character. ASCII bytes beside it must still match.
  return !text.includes('\ufffd') || asciiIn(given) !== asciiIn(own);
}

function isAscii(text: string, bytes: readonly unknown[]): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7f || bytes[at] !== code) return false;
  }
  return true;
}

function tokenBytes(text: string, bytes: unknown): Buffer {
  return Array.isArray(bytes) ? Buffer.from(arrayOf(bytes).map(Number)) : Buffer.from(text);
}

function asciiIn(bytes: Buffer): string {
  return Buffer.from(bytes.filter((byte) => byte <= 0x7f)).toString('latin1');
}

/** OpenAI writes a token with part of a character as `bytes: \xf0\x9f`. */
const ESCAPED = /^bytes:[\x20-\x7e]*\\x[89a-f][0-9a-f]/i;

function escapedBytes(text: string): Buffer {
  const written = text.slice('bytes:'.length);
  const read = written.replace(/\\x([89a-f][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return Buffer.from(read, 'latin1');
}
