import { isUtf8 } from 'node:buffer';
import type { JsonPath } from '../json/path.ts';
import { isTurnOver, nextTurn } from '../turns.ts';
import { STEP_CHARS } from '../json/weights.ts';

/** Base64 up to this length may itself be a secret. */
const SHORT_CHARS = 512;
/** Shortest full line, in characters, of encoders that wrap lines. */
const MIN_LINE_CHARS = 57;
const BINARY_TYPE =
  /^(?:image|audio|video|font|model)\/(?!svg)|^application\/(?:octet-stream|pdf|zip|gzip|x-\w+|vnd\.[\w.-]+|wasm)\b/i;
/** Number of bytes examined to distinguish UTF-16 from UTF-8. */
const SAMPLE_BYTES = 256;

export function isBlob(holder: object | undefined, path: JsonPath): boolean {
  if (holder === undefined) return false;
  const name = path.at(-1);
  if (name === 'blob') return 'uri' in holder;
  return name === 'data' && 'type' in holder && (holder.type === 'image' || holder.type === 'audio');
}

export interface BlobTexts {
  /** Whether the value itself must be searched, because it is short or not Base64 in the form that encoders write. */
  readonly asWritten: boolean;
  /**
   * The decoded text; undefined for valid Base64 that is declared as an image or other binary data and is not UTF-8 or
   * contains NUL bytes.
   */
  readonly held: string | undefined;
}

/**
 * Returns the texts of a value where MCP expects Base64. Many decoders skip characters outside their alphabet, so
 * invalid Base64 is searched both as written and decoded.
 * @param maxChars decoding stops after the text exceeds this many characters
 */
export async function textsOfBlob(
  written: string,
  holder: object | undefined,
  maxChars: number,
): Promise<BlobTexts> {
  const { bytes, isBase64, chars } = await decodedBase64(written);
  const asWritten = !isBase64 || chars <= SHORT_CHARS || !(await isEncoded(written));
  const isText = isBase64 && isUtf8(bytes) && !bytes.includes(0);
  if (isText) return { asWritten, held: await decodedAs('utf8', bytes, maxChars) };
  if (isBase64 && isDeclaredBinary(holder)) return { asWritten, held: undefined };
  return { asWritten, held: await textOfBytes(bytes, maxChars) };
}

/**
 * Accepts one line, or lines of equal length (the last may be shorter), as encoders write. Separate words may look like
 * Base64 by chance.
 */
async function isEncoded(written: string): Promise<boolean> {
  if (written.includes(' ') || written.includes('\t')) return false;
  let lineChars: number | undefined;
  let seen = 0;
  for (let from = 0; ;) {
    const end = written.indexOf('\n', from);
    const isLast = end < 0 || end === written.length - 1;
    const to = end < 0 ? written.length : end;
    const chars = to - from - (written[to - 1] === '\r' ? 1 : 0);
    if (!isLast && chars < MIN_LINE_CHARS) return false;
    lineChars ??= chars;
    if (isLast ? chars > lineChars : chars !== lineChars) return false;
    if (isLast) return true;
    seen += chars;
    if (seen > STEP_CHARS) {
      if (isTurnOver(seen)) await nextTurn();
      seen = 0;
    }
    from = end + 1;
  }
}

interface Base64 {
  /** Bytes that a lenient decoder returns. */
  readonly bytes: Buffer;
  /** Whether the value, without white space, has only digits of either alphabet and at most two pads, at the end. */
  readonly isBase64: boolean;
  readonly chars: number;
}

const LINE_ENDS = /[\t\n\r ]+/g;
const DIGITS_AND_PADS = /^([A-Za-z0-9+/_-]*)(={0,2})$/;
const OTHERS = /[^A-Za-z0-9+/_-]+/g;
const GROUP_DIGITS = 4;

async function decodedBase64(written: string): Promise<Base64> {
  const chunks: Buffer[] = [];
  let isBase64 = true;
  let chars = 0;
  let pads = 0;
  let rest = '';
  for (let from = 0; from < written.length; from += STEP_CHARS) {
    const chunk = written.slice(from, from + STEP_CHARS).replace(LINE_ENDS, '');
    const [, plain, pad = ''] = DIGITS_AND_PADS.exec(chunk) ?? [];
    isBase64 &&= plain !== undefined && (pads === 0 || plain === '') && pads + pad.length <= 2;
    chars += chunk.length;
    pads += pad.length;
    const digits = rest + (plain ?? chunk.replace(OTHERS, ''));
    const whole = digits.length - (digits.length % GROUP_DIGITS);
    chunks.push(Buffer.from(digits.slice(0, whole), 'base64'));
    rest = digits.slice(whole);
    if (isTurnOver(chunk.length)) await nextTurn();
  }
  chunks.push(Buffer.from(rest, 'base64'));
  return { bytes: Buffer.concat(chunks), isBase64: isBase64 && chars > pads, chars };
}

function isDeclaredBinary(holder: object | undefined): boolean {
  const type = holder !== undefined && 'mimeType' in holder ? holder.mimeType : undefined;
  return typeof type === 'string' && BINARY_TYPE.test(type);
}

/** Decodes leniently, so that an invalid byte cannot hide the rest. */
function textOfBytes(bytes: Buffer, maxChars: number): Promise<string> {
  const [first, second] = bytes;
  if (first === 0xfe && second === 0xff && bytes.length % 2 === 0) {
    return decodedAs('utf16le', Buffer.from(bytes).swap16(), maxChars);
  }
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = sample.reduce((count, byte) => count + (byte === 0 ? 1 : 0), 0);
  return decodedAs(zeros * 4 > sample.length ? 'utf16le' : 'utf8', bytes, maxChars);
}

async function decodedAs(encoding: 'utf8' | 'utf16le', bytes: Buffer, maxChars: number): Promise<string> {
  const parts: string[] = [];
  let chars = 0;
  for (let from = 0; from < bytes.length && chars <= maxChars;) {
    const to = encoding === 'utf8' ? wholeCharactersUpTo(bytes, from + STEP_CHARS) : from + STEP_CHARS;
    const part = bytes.toString(encoding, from, to);
    parts.push(part);
    chars += part.length;
    from = to;
    if (isTurnOver(part.length)) await nextTurn();
  }
  return parts.join('');
}

/** Returns `offset`, or an earlier one that does not split a UTF-8 character. */
function wholeCharactersUpTo(bytes: Buffer, offset: number): number {
  for (let to = offset; to > offset - MAX_CHARACTER_BYTES && to < bytes.length; to -= 1) {
    if (((bytes[to] ?? 0) & 0xc0) !== 0x80) return to;
  }
  return offset;
}

const MAX_CHARACTER_BYTES = 4;
