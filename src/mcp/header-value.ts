import { isUtf8 } from 'node:buffer';

/** How MCP writes what a header cannot hold (2026-07-28, "Value Encoding"). */
const PREFIX = '=?base64?';
const SUFFIX = '?=';
const PLAIN = /^[\t\x20-\x7e]*$/;

/** What the value of a mirrored header says; undefined where it is not written as MCP has it. */
export function decodeHeaderValue(written: string): string | undefined {
  const value = written.replace(/^[\t ]+|(?<![\t ])[\t ]+$/g, '');
  if (!PLAIN.test(value)) return undefined;
  if (!value.startsWith(PREFIX) || !value.endsWith(SUFFIX)) return value;
  const base64 = value.slice(PREFIX.length, -SUFFIX.length);
  const bytes = Buffer.from(base64, 'base64');
  // Another spelling of the same bytes may be read as other ones elsewhere.
  const isCanonical = value.length >= PREFIX.length + SUFFIX.length && bytes.toString('base64') === base64;
  return isCanonical && isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** The value of a mirrored header that says `text`. */
export function encodeHeaderValue(text: string): string {
  const looksEncoded = text.startsWith(PREFIX) && text.endsWith(SUFFIX);
  if (text !== '' && text === text.trim() && PLAIN.test(text) && !looksEncoded) return text;
  return `${PREFIX}${Buffer.from(text.toWellFormed()).toString('base64')}${SUFFIX}`;
}
