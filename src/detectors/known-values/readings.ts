import { characterOf, escapedCharacter } from '../../normalize/entities.ts';
import { plainOf } from '../../normalize/characters.ts';
import { asGiven, editInSteps, viewThrough, type TextView } from '../../inspect/offset-map.ts';
import type { Work } from '../../turns.ts';
import { MAX_DECODINGS } from '../../text/decodings.ts';

/** All in lowercase, because some answers repeat values in a different case. */
export interface Readings {
  /** The text as written, and after each round of decoding escapes. */
  readonly decoded: readonly TextView[];
  /** The letters and digits of the last decoded text. */
  readonly squeezed: TextView;
}

const STEP_CHARS = 16_384;
const LONGEST_ESCAPE = 26;

/** Matches single-character escapes, and characters that are invisible or represent plain ones. */
const ESCAPE = new RegExp(
  [
    String.raw`%[uU][0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|=3[Dd]`,
    String.raw`\\{1,4}(?:U[0-9A-Fa-f]{8}|u[0-9A-Fa-f]{4}|[ux]\{[0-9A-Fa-f]{1,8}\}|x[0-9A-Fa-f]{2}|[0-3][0-7]{2}|[^A-Za-z0-9\s])`,
    String.raw`&#(?:[xX][0-9A-Fa-f]{1,8}|[0-9]{1,10});?|&[A-Za-z]{2,24};`,
    String.raw`[\u00aa\u00b2\u00b3\u00b9\u00ba\u2070-\u209f\u2100-\u214f\u2460-\u24ff\uff01-\uff5e\u{1d400}-\u{1d7ff}]`,
    String.raw`\p{Default_Ignorable_Code_Point}`,
  ].join('|'),
  'gu',
);
const LAST_ESCAPE = /(?:[%&=]|(?<!\\)\\+)[^%&=\\]*$|[\ud800-\udbff]$/;
const ANY_ESCAPE = new RegExp(ESCAPE.source, 'u');

export function* readingsOf(text: string): Work<Readings> {
  let last = asGiven(text);
  const decoded = [yield* inLowerCase(last)];
  while (decoded.length <= MAX_DECODINGS && mayHaveEscapes(last.text)) {
    const next = yield* unescaped(last.text);
    if (next === undefined) break;
    last = viewThrough(last, next);
    decoded.push(yield* inLowerCase(last));
  }
  return { decoded, squeezed: yield* squeezed(decoded.at(-1) ?? last) };
}

/** Returns true for long texts, because a search would take too long in one step. */
function mayHaveEscapes(text: string): boolean {
  return text.length > STEP_CHARS || ANY_ESCAPE.test(text);
}

/** `toLowerCase` changes the length of no letter except `İ`. */
function* inLowerCase({ text, toOriginal }: TextView): Work<TextView> {
  const slices: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = safeEnd(text, start + STEP_CHARS);
    slices.push(text.slice(start, end).replaceAll('İ', 'i').toLowerCase());
    yield end - start;
    start = end;
  }
  return { text: slices.join(''), toOriginal };
}

function unescaped(text: string): Work<TextView | undefined> {
  return editInSteps(text, STEP_CHARS, (edited, from, to) => {
    const end = safeEnd(text, to);
    for (const { 0: escape, index } of text.slice(from, end).matchAll(ESCAPE)) {
      const character = readEscape(escape);
      if (character !== undefined) edited.replace(from + index, from + index + escape.length, character);
    }
    return end;
  });
}

/** Moves `end` back if it would split an escape or a surrogate pair. */
function safeEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const last = text.slice(end - LONGEST_ESCAPE, end).search(LAST_ESCAPE);
  return last <= 0 ? end : end - LONGEST_ESCAPE + last;
}

/** Returns undefined for invalid and unknown escapes. */
function readEscape(escape: string): string | undefined {
  const first = escape.charAt(0);
  if (first > '\x7f') return ofBeyond(escape);
  if (first === '=') return '=';
  if (first !== '\\' || /^\\+[uxU]/.test(escape)) return escapedCharacter(escape);
  const written = escape.replace(/^\\+/, '');
  return /^[0-3][0-7]{2}$/.test(written) ? characterOf(Number.parseInt(written, 8)) : written;
}

function ofBeyond(character: string): string | undefined {
  const plain = character.normalize('NFKC');
  if (plain !== character) return plain;
  return plainOf(character.codePointAt(0) ?? 0) ?? '';
}

/** The letter or digit that a lowercase character is or resembles, or 0; by code unit. */
let keptCodes: Uint8Array | undefined;

function createKeptCodes(): Uint8Array {
  const codes = new Uint8Array(65_536);
  for (let code = 0; code < codes.length; code += 1) {
    const plain = code < 128 ? String.fromCharCode(code) : (plainOf(code) ?? '').toLowerCase();
    if (/^[a-z0-9]$/.test(plain)) codes[code] = plain.charCodeAt(0);
  }
  return codes;
}

function* squeezed({ text, toOriginal }: TextView): Work<TextView> {
  const codes = (keptCodes ??= createKeptCodes());
  const kept = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let start = 0; start < text.length; start += STEP_CHARS) {
    const end = Math.min(text.length, start + STEP_CHARS);
    for (let at = start; at < end; at += 1) {
      const code = codes[text.charCodeAt(at)] ?? 0;
      if (code !== 0) kept[length++] = code;
    }
    yield (end - start) >> 1;
  }
  let offsets: Int32Array | undefined;
  return {
    text: kept.toString('latin1', 0, length),
    toOriginal({ start, end }) {
      offsets ??= keptOffsets(text, codes, length);
      return toOriginal({ start: offsets[start] ?? 0, end: (offsets[end - 1] ?? 0) + 1 });
    },
  };
}

/** Returns the original offset of each kept character. Computed only for findings. */
function keptOffsets(text: string, codes: Uint8Array, length: number): Int32Array {
  const offsets = new Int32Array(length);
  let kept = 0;
  for (let at = 0; kept < length; at += 1) if (codes[text.charCodeAt(at)] !== 0) offsets[kept++] = at;
  return offsets;
}
