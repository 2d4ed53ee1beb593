import { hash, randomBytes } from 'node:crypto';

/** Shorter texts cost less to read than to look up. */
const MIN_CHARS = 256;
/** Of this process alone: whoever reads a digest from its memory cannot try what text it is of. */
const KEY = randomBytes(32).toString('hex');

/**
 * What a text that was read is known again by, without being kept; undefined where it is too short to be worth it. No two
 * texts have the same: halves of surrogate pairs, which UTF-8 makes one sign, are told apart too.
 */
export function textDigest(text: string): string | undefined {
  if (text.length < MIN_CHARS) return undefined;
  return text.isWellFormed()
    ? hash('sha256', KEY + text, 'binary')
    : hash('sha256', Buffer.from(`units ${KEY}${text}`, 'utf16le'), 'binary');
}
