import { isUtf8 } from 'node:buffer';
import type { Replacement } from '../text/replace-spans.ts';
import { EditedText } from '../inspect/offset-map.ts';
import { stageResult, unchanged, type StageResult } from './stage.ts';
import { BASE64_LETTERS, BASE64_VALUES, nextRun, NO_DIGIT } from './alphabet-runs.ts';
import { isProse } from './english-words.ts';

/** A block in either Base64 alphabet, on one or more lines. */
const BLOCK = /[A-Za-z0-9+/_-]{12,}(?:={1,2}|(?:\r?\n[ \t]{0,8}[A-Za-z0-9+/_-]{2,}={0,2})+)?/y;

const MIN_BLOCK_CHARS = 12;

const MAX_DEPTH = 4;

/** Stage 4: replaces Base64 of readable text. Images, keys, hashes and tokens are not readable. */
export function extractBase64(text: string): StageResult {
  let at = nextRun(text, BASE64_LETTERS, MIN_BLOCK_CHARS, 0);
  if (at < 0) return unchanged(text);
  const edited = new EditedText(text);
  let flagged = false;
  while (at >= 0) {
    BLOCK.lastIndex = at;
    const source = BLOCK.exec(text)?.[0];
    if (source === undefined) break;
    for (const { start, end, text: decoded } of readBase64Block(text, at, source)) {
      edited.replace(start, end, decoded);
      if (isHidden(text, start, decoded)) flagged = true;
    }
    at = nextRun(text, BASE64_LETTERS, MIN_BLOCK_CHARS, at + source.length);
  }
  return stageResult(edited, flagged);
}

/** Shorter texts, such as greetings in examples, are not payloads. */
const MIN_PAYLOAD_CHARS = 16;

/** Values in configurations are often encoded, so they are decoded but are not evidence. */
const isHidden = (text: string, start: number, decoded: string): boolean =>
  decoded.length >= MIN_PAYLOAD_CHARS &&
  !/\b[A-Z][A-Z0-9_]{3,}\s?[=:]\s?["']?$/.test(text.slice(Math.max(0, start - 40), start));

/** Decodes the whole block, or its lines, or parts of a line between separators. */
function readBase64Block(text: string, start: number, block: string): Replacement[] {
  if (!mayBeBase64OfText(block) && !/[\n/_+-]/.test(block) && start > 0) return [];
  if (isTokenPart(text, start, start + block.length) || isSafeData(text, start)) return [];
  const whole = readAt(block, start, start === 0);
  if (whole !== undefined) return [whole];
  const parts = block.includes('\n')
    ? block.matchAll(/[^\s]{12,}/g)
    : block.matchAll(/[A-Za-z0-9]{12,}={0,2}/g);
  const found: Replacement[] = [];
  for (const part of parts) {
    if (part[0].length === block.length) continue;
    const decoded = readAt(part[0], start + part.index, false);
    if (decoded !== undefined) found.push(decoded);
  }
  return found;
}

/** Tries four offsets if the text may begin inside a block. */
function readAt(block: string, start: number, isCut: boolean): Replacement | undefined {
  for (let skip = 0; skip < (isCut ? 4 : 1); skip++) {
    const decoded = decodeBlock(block.slice(skip));
    if (decoded !== undefined) return { start: start + skip, end: start + block.length, text: decoded };
  }
  return undefined;
}

/** Checks the first bytes for control characters and bytes that UTF-8 excludes, except at the start of UTF-16. */
function mayBeBase64OfText(block: string): boolean {
  const letters = Math.min(block.length, 24);
  for (let at = 0; at < Math.floor((letters * 3) / 4); at++) {
    const byte = base64Byte(block, at);
    // The rest is checked after the lines are joined.
    if (byte === undefined) return true;
    if (byte === 0) return at === 1 || at === 0;
    if (byte < 9 || (byte > 13 && byte < 32) || byte === 127 || byte > 0xf4) return byte >= 0xfe && at === 0;
  }
  return true;
}

/** Returns one byte of a single-line block, or undefined after its end. Faster than a buffer for most blocks. */
export function base64Byte(block: string, index: number): number | undefined {
  const at = Math.floor((index * 4) / 3);
  const high = BASE64_VALUES[block.charCodeAt(at)] ?? NO_DIGIT;
  const low = BASE64_VALUES[block.charCodeAt(at + 1)] ?? NO_DIGIT;
  if (high === NO_DIGIT || low === NO_DIGIT) return undefined;
  const shift = 2 + (index % 3) * 2;
  return ((high << shift) | (low >> (6 - shift))) & 0xff;
}

function decodeBlock(block: string, depth = 0): string | undefined {
  const letters = block.replace(/\s/g, '');
  if (!mayBeBase64OfText(letters)) return undefined;
  const text = decodedText(Buffer.from(letters, 'base64'));
  if (text === undefined) return undefined;
  if (isProse(text.replace(/\p{Cf}/gu, '')) || hidesMore(text)) return text;
  if (depth < MAX_DEPTH && /^[\w+/-]{12,}={0,2}$/.test(text) && decodeBlock(text, depth + 1) !== undefined)
    return text;
  return undefined;
}

/** Decodes UTF-8 or UTF-16. Returns undefined for control characters and invalid UTF-8. */
function decodedText(bytes: Buffer): string | undefined {
  const isWide = bytes.length > 8 && (bytes[1] === 0 || bytes[0] === 0xff);
  if (!isWide && !isUtf8(bytes)) return undefined;
  const text = isWide ? wideText(bytes) : bytes.toString('utf8');
  return /[\x00-\x08\x0e-\x1f\x7f\ufffd]/.test(text) ? undefined : text;
}

const wideText = (bytes: Buffer): string =>
  bytes
    .subarray(0, bytes.length - (bytes.length % 2))
    .toString('utf16le')
    .replace(/^\ufeff/, '');

/** Recognizes path climbs and further escapes. */
const hidesMore = (text: string): boolean =>
  /\.\.[/\\]\S*\.\.|\.\.[/\\]etc/.test(text) ||
  (text.match(/%[0-9a-f]{2}|\\[ux][0-9a-f]{2}|&#x?[0-9a-f]+;/gi)?.length ?? 0) >= 3;

/** Recognizes a part of a JSON Web Token: it begins with `eyJ` before a dot, or follows such a part. */
function isTokenPart(text: string, start: number, end: number): boolean {
  if (text.startsWith('eyJ', start) && text.charAt(end) === '.') return true;
  return (
    text.charAt(start - 1) === '.' && /eyJ[\w-]{8,200}\.$/.test(text.slice(Math.max(0, start - 200), start))
  );
}

/** Recognizes SVG images, which are text, and Basic credentials, which are secrets. */
function isSafeData(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 48), start);
  if (/\bBasic\s+$/i.test(before)) return true;
  return (
    /data:(?:image|font)\/[\w.+-]+(?:;[\w=-]+)*;base64,$/i.test(before) &&
    /^(?:PHN2Zy|PD94bW)/.test(text.slice(start, start + 6))
  );
}
