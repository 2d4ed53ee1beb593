import { Rewriter, unchanged } from './rewrite.ts';
import type { Rewrite } from './rewrite.ts';
import { isProse } from './words.ts';

/** Code points one after the other: U+0049 U+0067, with or without something between. */
const codePoints = /U\+[0-9A-F]{4,6}(?:[\s,;]{0,2}U\+[0-9A-F]{4,6}){2,}/gi;

/** Bytes one after the other: 0x49 0x67, or 0x49, 0x67. */
const prefixedBytes = /0x[0-9a-f]{2}(?:[\s,;]{0,2}0x[0-9a-f]{2}){5,}/gi;

/** Bytes without a prefix: 49 67 6e, 49:67:6e, 49-67-6e. */
const separatedBytes = /(?<![0-9a-z])[0-9a-f]{2}([ :,-])[0-9a-f]{2}(?:\1[0-9a-f]{2}){6,}(?![0-9a-z])/gi;

const bareDigits = /[0-9a-f]{16,}/gi;

const anyList =
  /U\+[0-9a-f]{4}|0x[0-9a-f]{2}|[0-9a-f]{2}([ :,-])[0-9a-f]{2}\1[0-9a-f]{2}\1[0-9a-f]{2}\1|[0-9a-f]{16}/i;

/** Rows of a hex dump print their text themselves. */
const dumpColumn = /^[^\n]{0,80}\|[^\n]{1,40}\|/;

/** Lists of bytes or code points and bare hexadecimal digits, where they spell words; hashes and numbers spell none. */
export function decodeByteLists(text: string): Rewrite {
  if (!anyList.test(text)) return unchanged(text);
  const readings = [
    ...read(text, codePoints, (list) => numbers(list, /U\+([0-9a-f]+)/gi)),
    ...read(text, prefixedBytes, (list) => numbers(list, /0x([0-9a-f]{2})/gi)),
    ...read(text, separatedBytes, (list) => numbers(list, /([0-9a-f]{2})/gi)),
    ...read(text, bareDigits, (list, at) => (isApart(text, at, list.length) ? numbers(list, /(..)/g) : [])),
  ].sort((one, other) => one.start - other.start);
  const rewriter = new Rewriter(text);
  let done = 0;
  for (const { start, end, reading } of readings) {
    if (start < done) continue;
    rewriter.replace(start, end, reading);
    done = end;
  }
  return rewriter.finish(done > 0);
}

interface Reading {
  readonly start: number;
  readonly end: number;
  readonly reading: string;
}

function read(text: string, lists: RegExp, toNumbers: (list: string, at: number) => number[]): Reading[] {
  const found: Reading[] = [];
  for (const match of text.matchAll(lists)) {
    const [list] = match;
    const end = match.index + list.length;
    if (dumpColumn.test(text.slice(end, end + 120).trimStart())) continue;
    const reading = spell(toNumbers(list, match.index));
    if (reading !== undefined) found.push({ start: match.index, end, reading });
  }
  return found;
}

const numbers = (list: string, each: RegExp): number[] =>
  Array.from(list.matchAll(each), (match) => Number.parseInt(match[1] ?? '', 16));

/** Digits that are no part of a longer name; an odd one among them makes no bytes. */
function isApart(text: string, at: number, length: number): boolean {
  const before = text.charAt(at - 1);
  const after = text.charAt(at + length);
  return length % 2 === 0 && !/[A-Za-z0-9]/.test(before.replace('x', '')) && !/[A-Za-z0-9+/=]/.test(after);
}

/** Numbers as UTF-8 bytes or, beyond a byte, as code points; undefined where that is no prose. */
function spell(values: readonly number[]): string | undefined {
  if (values.length === 0 || values.some((value) => value > 0x10ffff || Number.isNaN(value)))
    return undefined;
  const isWide = values.some((value) => value > 0xff);
  const text = isWide ? String.fromCodePoint(...values.slice(0, 8192)) : Buffer.from(values).toString('utf8');
  if (/[\x00-\x08\x0e-\x1f\x7f\ufffd]/.test(text)) return undefined;
  return isProse(text) || /\.\.[/\\]/.test(text) ? text : undefined;
}
