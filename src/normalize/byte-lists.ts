import { addAll } from '../add-all.ts';
import { isUtf8 } from 'node:buffer';
import type { Replacement } from '../text/replace-spans.ts';
import { extractBase64 } from './base64.ts';
import { EditedText } from '../inspect/offset-map.ts';
import { stageResult, unchanged, type StageResult } from './stage.ts';
import { alphabetOf, hasRun } from './alphabet-runs.ts';
import { isProse } from './english-words.ts';

interface ListForm {
  /** Fast test that matches every text in which `list` matches. */
  readonly hint: RegExp;
  readonly list: RegExp;
  readonly value: RegExp;
}

const FORMS: readonly ListForm[] = [
  // For example U+0049 U+0067
  {
    hint: /[Uu]\+[0-9A-Fa-f]{4}/,
    list: /[Uu]\+[0-9A-Fa-f]{4,6}(?:[\s,;]{0,2}[Uu]\+[0-9A-Fa-f]{4,6}){2,}/g,
    value: /\+([0-9A-Fa-f]+)/g,
  },
  // For example 0x49 0x67, or 0x49, 0x67
  {
    hint: /0x[0-9A-Fa-f]{2}/,
    list: /0x[0-9A-Fa-f]{2}(?:[\s,;]{0,2}0x[0-9A-Fa-f]{2}){5,}/g,
    value: /0x([0-9A-Fa-f]{2})/g,
  },
  // For example 49 67 6e, 49:67:6e, or 49-67-6e
  {
    hint: /[0-9A-Fa-f]{2}[ :,-][0-9A-Fa-f]{2}[ :,-][0-9A-Fa-f]{2}[ :,-]/,
    list: /(?<![0-9A-Za-z])[0-9A-Fa-f]{2}([ :,-])[0-9A-Fa-f]{2}(?:\1[0-9A-Fa-f]{2}){6,}(?![0-9A-Za-z])/g,
    value: /([0-9A-Fa-f]{2})/g,
  },
];

const MIN_DIGITS = 16;

const BARE_DIGITS = /[0-9A-Fa-f]{16,}/g;

const HEX_DIGITS = alphabetOf('0123456789abcdefABCDEF');

/** The text column of a hex dump. Dumps already show their text. */
const DUMP_COLUMN = /^[^\n]{0,80}\|[^\n]{1,40}\|/;

/** Decodes lists of bytes or code points, and bare hexadecimal digits, if they spell words, a path climb or Base64. */
export function decodeByteLists(text: string): StageResult {
  const lists = FORMS.filter(({ hint }) => hint.test(text)).flatMap((form) => readLists(text, form));
  if (hasRun(text, HEX_DIGITS, MIN_DIGITS)) addAll(lists, readDigits(text));
  if (lists.length === 0) return unchanged(text);
  lists.sort((a, b) => a.start - b.start);
  const edited = new EditedText(text);
  let done = 0;
  for (const { start, end, text: spelled } of lists) {
    if (start < done) continue;
    edited.replace(start, end, spelled);
    done = end;
  }
  return stageResult(edited, done > 0);
}

function readLists(text: string, { list, value }: ListForm): Replacement[] {
  const found: Replacement[] = [];
  for (const match of text.matchAll(list)) {
    const [source] = match;
    const end = match.index + source.length;
    if (!mayBeText(numbers(source.slice(0, HEAD_UNITS), value))) continue;
    const spelled = spell(numbers(source, value));
    if (spelled !== undefined && !isDumped(text, end)) found.push({ start: match.index, end, text: spelled });
  }
  return found;
}

const HEAD_UNITS = 32;

/** Checks the first values for control characters, except the last one, which may be incomplete. */
const mayBeText = (values: readonly number[]): boolean =>
  values.length > 0 && values.slice(0, -1).every((value) => value >= 9 && value !== 127);

const numbers = (list: string, value: RegExp): number[] =>
  Array.from(list.matchAll(value), (match) => Number.parseInt(match[1] ?? '', 16));

const isDumped = (text: string, end: number): boolean =>
  DUMP_COLUMN.test(text.slice(end, end + 120).trimStart());

/** Most hashes and numbers are not valid UTF-8. */
function readDigits(text: string): Replacement[] {
  const found: Replacement[] = [];
  for (const match of text.matchAll(BARE_DIGITS)) {
    const [digits] = match;
    const end = match.index + digits.length;
    if (!isApart(text, match.index, end)) continue;
    const bytes = Buffer.from(digits, 'hex');
    const spelled = isUtf8(bytes) ? readableChars(bytes.toString()) : undefined;
    if (spelled !== undefined && !isDumped(text, end)) found.push({ start: match.index, end, text: spelled });
  }
  return found;
}

/** Excludes digits within a longer name, and odd numbers of digits. */
const isApart = (text: string, start: number, end: number): boolean =>
  (end - start) % 2 === 0 &&
  !/[A-WYZa-wyz0-9]/.test(text.charAt(start - 1)) &&
  !/[A-Za-z0-9+/=]/.test(text.charAt(end));

/** Decodes numbers as UTF-8 bytes, or as code points if some exceed 255. Returns undefined if unreadable. */
function spell(values: readonly number[]): string | undefined {
  if (values.length === 0 || values.some((value) => value > 0x10ffff || Number.isNaN(value)))
    return undefined;
  const isWide = values.some((value) => value > 0xff);
  return readableChars(
    isWide ? String.fromCodePoint(...values.slice(0, 8192)) : Buffer.from(values).toString('utf8'),
  );
}

function readableChars(text: string): string | undefined {
  if (/[\x00-\x08\x0e-\x1f\x7f\ufffd]/.test(text)) return undefined;
  return isProse(text) || /\.\.[/\\]/.test(text) || extractBase64(text).found ? text : undefined;
}
