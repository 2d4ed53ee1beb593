import { decodeBase64, isPlainText } from '../pricing/media-bytes.ts';

/** Minimum length of a run. Shorter runs are ids, hashes and signatures. */
const MIN_CHARS = 256;
/** Minimum length of a run within other text, where signatures, keys and tokens may be longer than `MIN_CHARS`. */
const MIN_CHARS_INSIDE = 1_024;
/**
 * Minimum length of wrapped lines. Tools wrap encoded bytes at 60 columns or more; shorter lines are word lists and
 * digests.
 */
const MIN_COLUMNS = 60;

/** Number of digits examined first in a long run. */
const START_CHARS = 16_384;

const DATA_URL = /^\s{0,64}data:[^,]{0,192};base64,/i;
const DATA_URL_END = /data:[^,\s]{0,192};base64,$/i;
const DATA_URL_HEADER_CHARS = 208;

/** Reports whether a text is a data URL, or contains encoded bytes that inspection cannot decode. */
export function holdsEncodedBytes(text: string): boolean {
  if (text.length < MIN_CHARS) return DATA_URL.test(text);
  if (DATA_URL.test(text.slice(0, MIN_CHARS))) return true;
  // A run of MIN_CHARS digits must include one of these positions.
  for (let at = 0; at < text.length; at += MIN_CHARS) {
    if (!isDigit(text.charCodeAt(at))) continue;
    const run = runAround(text, at);
    if (isEncoded(text, run)) return true;
    at = Math.max(at, run.to - (run.to % MIN_CHARS));
  }
  return isEncodedLines(text);
}

interface Run {
  readonly from: number;
  readonly to: number;
}

/** Returns the run of digits around a position, across line breaks if the lines are as long as an encoder's. */
function runAround(text: string, at: number): Run {
  let from = at;
  while (from > 0 && isDigit(text.charCodeAt(from - 1))) from -= 1;
  // Skips the letter of an escaped line break.
  if (from < at && text[from - 1] === '\\') from += 1;
  let to = digitsEnd(text, at);
  const columns = to - from;
  while (columns >= MIN_COLUMNS) {
    const next = lineStart(text, to);
    if (next === undefined) break;
    const end = digitsEnd(text, next);
    if (end === next || end - next > columns) break;
    to = end;
    if (end - next < columns) break;
  }
  return { from, to };
}

function digitsEnd(text: string, from: number): number {
  let to = from;
  while (to < text.length && isDigit(text.charCodeAt(to))) to += 1;
  return to;
}

/** Returns the offset after a line break and indentation, or undefined without a line break. */
function lineStart(text: string, end: number): number | undefined {
  const [breaks] = /^\r?\n[ \t]{0,64}/.exec(text.slice(end, end + 66)) ?? [];
  if (breaks !== undefined) return end + breaks.length;
  // Line breaks may be escaped, as in JSON and source code.
  const [escaped] = /^(?:\\r)?\\n/.exec(text.slice(end, end + 4)) ?? [];
  return escaped === undefined ? undefined : end + escaped.length;
}

function isEncoded(text: string, { from, to }: Run): boolean {
  const length = to - from;
  if (length < MIN_CHARS) return false;
  const isAll = length >= text.trim().length;
  const isData = DATA_URL_END.test(text.slice(Math.max(0, from - DATA_URL_HEADER_CHARS), from));
  if (!isAll && !isData && length < MIN_CHARS_INSIDE) return false;
  const start = digitsOf(text.slice(from, Math.min(to, from + START_CHARS)));
  if (!isData && !isVaried(start) && !(isAll && isMixedOrHex(start))) return false;
  return startsAsBytes(start) || !isWords(digitsOf(text.slice(from, to)));
}

function digitsOf(run: string): string {
  return run.replace(/\\[rn]|\s/g, '');
}

/** Reports whether a run's start cannot be decoded, or decodes to control characters, as most files do. */
function startsAsBytes(digits: string): boolean {
  const bytes = decodeBase64(standard(digits.slice(0, digits.length - (digits.length % 4))));
  return bytes === undefined || /[\0-\x08\x0e-\x1f]/.test(bytes.toString('latin1'));
}

/** Binary data mixes upper case, lower case and numbers. Rulers and hex digests do not. */
function isVaried(digits: string): boolean {
  return /[A-Z]/.test(digits) && /[a-z]/.test(digits) && /\d/.test(digits);
}

/** Applies to texts that are a single run. Most paths, names and numbers fail this test. */
function isMixedOrHex(digits: string): boolean {
  return (/[A-Z]/.test(digits) && /[a-z]/.test(digits)) || /^(?=.*[a-f])(?=.*\d)[\da-f]+$/i.test(digits);
}

function isWords(digits: string): boolean {
  const bytes = decodeBase64(standard(digits));
  return bytes !== undefined && isPlainText(bytes);
}

function standard(digits: string): string {
  return digits.replaceAll('-', '+').replaceAll('_', '/');
}

/** Detects texts that consist only of Base64 lines of any length. */
function isEncodedLines(text: string): boolean {
  if (!/^[A-Za-z0-9+/=_\s-]*$/.test(text.slice(0, MIN_CHARS))) return false;
  const start = digitsOf(text.slice(0, START_CHARS));
  if (!isVaried(start)) return false;
  if (!/^[A-Za-z0-9+/_\r\n-]+={0,2}$/.test(text.trim())) return false;
  return startsAsBytes(start) || !isWords(digitsOf(text));
}

/** Digits of both Base64 alphabets and padding, by code unit for speed. */
const DIGITS = new Uint8Array(65_536);
for (const digit of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=') {
  DIGITS[digit.charCodeAt(0)] = 1;
}

function isDigit(code: number): boolean {
  return DIGITS[code] === 1;
}
