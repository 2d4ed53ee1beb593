import { addAll } from '../add-all.ts';
import { kindOf, kinds, plainOf } from './characters.ts';
import { escapedCharacter } from './entities.ts';
import { decodeByteLists } from './byte-lists.ts';
import { EditedText } from '../inspect/offset-map.ts';
import { stageResult, unchanged, type StageResult } from './stage.ts';

/** Escapes: %XX and %uXXXX; \xXX, \uXXXX, \u{...} and \UXXXXXXXX; numeric and named HTML character references. */
const ESCAPES =
  /%[uU][0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\\{1,4}(?:U[0-9A-Fa-f]{8}|u[0-9A-Fa-f]{4}|[ux]\{[0-9A-Fa-f]{1,8}\}|x[0-9A-Fa-f]{2})|&#(?:[xX][0-9A-Fa-f]{1,8}|[0-9]{1,10});?|&[A-Za-z]{2,24};/g;

const ANY_ESCAPE = /%[0-9a-fu]|\\[ux]|&[#a-z]/i;

type Family = 'percent' | 'backslash' | 'hex' | 'entity';

interface Escape {
  readonly start: number;
  readonly end: number;
  readonly family: Family;
  readonly character: string;
  /** Whether the escape looks like a printf format, such as %4d or %64s. */
  readonly isFormat: boolean;
}

/**
 * Stage 3, one round: decodes byte lists, or escapes if there are no lists. Lists, escaped plain letters and path
 * separators raise a flag; necessary escapes (spaces in URLs, accents in JSON, brackets in HTML) do not.
 */
export function decodeEscapes(text: string): StageResult {
  const lists = decodeByteLists(text);
  if (lists.text !== text) return lists;
  if (!ANY_ESCAPE.test(text)) return unchanged(text);
  const found = readEscapes(text);
  const hidden = found.length > 0 && (hidesWord(text, found) || hidesTraversal(text, found));
  const edited = new EditedText(text);
  for (const escape of found) {
    if (hidden) edited.replace(escape.start, escape.end, plainPath(escape.character));
    else if (isOrdinary(escape)) edited.replace(escape.start, escape.end, escape.character);
  }
  return stageResult(edited, hidden);
}

/** Finds all escapes in order, and joins encoded bytes into characters. */
function readEscapes(text: string): Escape[] {
  const found: Escape[] = [];
  let bytes: Escape[] = [];
  function flush(): void {
    addAll(found, decodeBytes(bytes));
    bytes = [];
  }
  for (const match of text.matchAll(ESCAPES)) {
    const [source] = match;
    const start = match.index;
    const family = escapeFamilyOf(source);
    const isByte = family === 'hex' || (family === 'percent' && source.length === 3);
    const last = bytes.at(-1);
    if (last !== undefined && (last.end !== start || !isByte || last.family !== family)) flush();
    const character = isByte
      ? String.fromCharCode(Number.parseInt(source.slice(-2), 16))
      : escapedCharacter(source);
    if (character === undefined) continue;
    const isFormat = family === 'percent' && isFormatAt(text, start);
    const escape = { start, end: start + source.length, family, character, isFormat };
    if (isByte) bytes.push(escape);
    else found.push(escape);
  }
  flush();
  return joinSurrogates(found);
}

function escapeFamilyOf(source: string): Family {
  if (source.startsWith('%')) return 'percent';
  if (source.startsWith('&')) return 'entity';
  return source.at(-3) === 'x' ? 'hex' : 'backslash';
}

/** Recognizes a printf format: a width and a conversion, not followed by a letter. */
function isFormatAt(text: string, start: number): boolean {
  const source = text.slice(start, start + 5);
  return (
    /^%[2-7][dfeca](?![a-z0-9])/i.test(source) ||
    /^%(?!25)[0-9]{2}[diouxXeEfgGcs](?![A-Za-z0-9])/.test(source)
  );
}

/** Decodes adjacent bytes as UTF-8, including overlong ASCII. Single non-ASCII bytes are not changed. */
function decodeBytes(bytes: readonly Escape[]): Escape[] {
  const found: Escape[] = [];
  for (let at = 0; at < bytes.length;) {
    const sequence = sequenceAt(bytes, at);
    const first = bytes[at];
    const last = bytes[at + sequence.length - 1];
    if (first === undefined || last === undefined) break;
    if (sequence.character !== undefined) {
      found.push({ ...first, end: last.end, character: sequence.character });
    }
    at += sequence.length;
  }
  return found;
}

interface Sequence {
  readonly length: number;
  readonly character?: string;
}

function sequenceAt(bytes: readonly Escape[], at: number): Sequence {
  const lead = byteAt(bytes, at);
  if (lead < 0x80) return { length: 1, character: String.fromCharCode(lead) };
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  if (length === 1) return { length: 1 };
  if (length === 2 && lead < 0xc2) return overlongSequence(lead, byteAt(bytes, at + 1));
  let point = lead & (0xff >> (length + 1));
  for (let offset = 1; offset < length; offset++) {
    const byte = byteAt(bytes, at + offset);
    if (byte < 0x80 || byte > 0xbf) return { length: 1 };
    point = point * 64 + (byte & 0x3f);
  }
  if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return { length: 1 };
  return { length, character: String.fromCodePoint(point) };
}

const byteAt = (bytes: readonly Escape[], at: number): number => bytes[at]?.character.charCodeAt(0) ?? -1;

/** Lenient decoders accept C0 and C1 before ASCII, and ignore the high bits of the second byte. */
function overlongSequence(lead: number, second: number): Sequence {
  if (second < 0) return { length: 1 };
  if (second < 0x80) return { length: 2, character: String.fromCharCode(second) };
  return { length: 2, character: String.fromCharCode(((lead & 1) << 6) | (second & 0x3f)) };
}

function joinSurrogates(found: readonly Escape[]): Escape[] {
  const joined: Escape[] = [];
  for (const escape of found) {
    const last = joined.at(-1);
    if (last?.end === escape.start && isHalf(escape, 0xdc00) && isHalf(last, 0xd800)) {
      joined[joined.length - 1] = { ...last, end: escape.end, character: last.character + escape.character };
    } else joined.push(escape);
  }
  return joined;
}

const isHalf = ({ character }: Escape, first: number): boolean =>
  character.length === 1 && (character.charCodeAt(0) & 0xfc00) === first;

/** Recognizes necessary escapes. Excludes plain letters and digits, and bytes that only look like escapes. */
const isOrdinary = ({ character, family, isFormat }: Escape): boolean =>
  !isFormat && !/^[A-Za-z0-9]$/.test(character) && (family !== 'hex' || /^[\x20-\x7e]$/.test(character));

/** Reports whether a letter or an invisible character is escaped inside a word, or a run of escapes is needless. */
function hidesWord(text: string, found: readonly Escape[]): boolean {
  for (let at = 0; at < found.length;) {
    const end = runEnd(found, at);
    if (hidesWordInRun(text, found.slice(at, end))) return true;
    at = end;
  }
  return false;
}

function runEnd(found: readonly Escape[], at: number): number {
  let end = at + 1;
  while (end < found.length && found[end]?.start === found[end - 1]?.end) end++;
  return end;
}

const MAX_WORD_LETTERS = 40;

function lettersBefore(text: string, end: number): string {
  let start = end;
  while (end - start < MAX_WORD_LETTERS && /[A-Za-z]/.test(text.charAt(start - 1))) start--;
  return text.slice(start, end);
}

function hidesWordInRun(text: string, run: readonly Escape[]): boolean {
  const first = run[0];
  const last = run.at(-1);
  if (first === undefined || last === undefined) return false;
  if (isNeedless(run)) return true;
  if (!run.some(isPlainLetter)) return false;
  const inner = run.map(({ character }) => plainOf(character.codePointAt(0) ?? 0) ?? character).join('');
  const before = lettersBefore(text, first.start);
  const after = /^[A-Za-z]*/.exec(text.slice(last.end, last.end + MAX_WORD_LETTERS))?.[0] ?? '';
  if (run.every(({ isFormat }) => isFormat)) return false;
  if (run.length === 1) return hidesOne(first, before, after);
  return wordsOf(`${before}\u0001${inner}\u0002${after}`).some(hasHiddenLetters);
}

/** Includes styled letters and invisible characters, but not other scripts, which are escaped for good reasons. */
function isPlainLetter({ character }: Escape): boolean {
  const kind = kindOf(character.codePointAt(0) ?? 0);
  return (
    kind === kinds.ascii || kind === kinds.styled || kind === kinds.fullwidth || kind === kinds.invisible
  );
}

/** Recognizes six or more adjacent escapes with at least three different letters or digits. */
function isNeedless(run: readonly Escape[]): boolean {
  const plain = run.filter(({ character, isFormat }) => /^[A-Za-z0-9]$/.test(character) && !isFormat);
  return run.length >= 6 && new Set(plain.map(({ character }) => character)).size > 2;
}

/** Recognizes an escaped letter within a word, or an escaped invisible character between two letters. */
function hidesOne({ character, family }: Escape, before: string, after: string): boolean {
  const kind = kindOf(character.codePointAt(0) ?? 0);
  if (kind === kinds.invisible && character !== '\xad') return before !== '' && after !== '';
  if (!/^[A-Za-z]$/.test(character)) return false;
  if (family === 'hex') return before !== '' && after !== '';
  return before.length + after.length >= 2;
}

/** Returns the words of a marked run. The escaped part begins with \u0001 and ends with \u0002. */
const wordsOf = (marked: string): string[] => marked.match(/[A-Za-z\u0001\u0002]+/g) ?? [];

/** Requires at least three letters that are not all the same, one of them escaped. */
function hasHiddenLetters(word: string): boolean {
  const letters = word.replace(/[\u0001\u0002]/g, '');
  if (letters.length < 3 || new Set(letters.toLowerCase()).size < 2) return false;
  const escaped = word.slice(word.indexOf('\u0001') + 1).split('\u0002')[0] ?? '';
  return escaped.length > 0;
}

/** Path climbs (`..`) before a separator, and after one. */
const CLIMBS_OUT = /\.\.(?=[/\\])/g;
const CLIMBS_IN = /(?<=[/\\])\.\./g;

const climbs = (text: string): number =>
  (text.match(CLIMBS_OUT)?.length ?? 0) + (text.match(CLIMBS_IN)?.length ?? 0);

function hidesTraversal(text: string, found: readonly Escape[]): boolean {
  if (!found.some(({ character }) => /^[./\\\uff0e\u2215\u2216\uff0f\uff3c]$/.test(character))) return false;
  let decoded = '';
  let copied = 0;
  for (const { start, end, character } of found) {
    decoded += text.slice(copied, start) + character;
    copied = end;
  }
  decoded = plainPath(decoded + text.slice(copied));
  return climbs(decoded) > climbs(text);
}

/** Replaces lookalikes of dots and slashes that lenient file systems accept. */
const plainPath = (text: string): string =>
  text.replace(/\uff0e/g, '.').replace(/[\u2215\u2216\uff0f\uff3c]/g, '/');
