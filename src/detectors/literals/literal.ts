import { isWord } from '../../normalize/english-words.ts';
import { Letters } from './letters.ts';

export interface Literal {
  /** Shared by all forms of a literal. */
  readonly id: number;
  readonly raw: string;
  readonly lower: string;
  readonly folds: readonly number[];
  /** The lowercase character of each fold. */
  readonly pieces: readonly string[];
  readonly gaps: readonly string[];
  /** Characters before the first letter; `tail` has those after the last. */
  readonly lead: string;
  readonly tail: string;
  /** `obfuscated`: with any obfuscation. `whole`: as a whole word, in any case. */
  readonly reading: 'obfuscated' | 'whole';
}

/** Shorter literals are found only as written, in any case. */
export const MIN_OBFUSCATED = 3;
/** Shorter words are too often other words if reversed or in ROT13. */
const MIN_TRANSFORMED = 6;

const letters = new Letters();

/** Returns a literal as written, and in spellings that cost no search time: ROT13, reversed, `ue` for `ü`. */
export function literalsOf(id: number, raw: string): readonly Literal[] {
  const forms = new Map<string, Literal>();
  function add(form: string, reading: Literal['reading'] = 'obfuscated'): void {
    const literal = parseLiteral(id, form, reading);
    const key = literal.folds.join();
    if (!forms.has(key)) forms.set(key, literal);
  }
  add(raw);
  // Non-ASCII capitals may resemble other letters than their lowercase forms do.
  for (const cased of [raw.toLowerCase(), raw.toUpperCase(), titled(raw)]) add(cased);
  const spelledOut = raw.replace(/[äöüÄÖÜ]/g, (letter) => `${letter.normalize('NFD').charAt(0)}e`);
  if (spelledOut !== raw) add(spelledOut);
  const lower = raw.toLowerCase();
  for (const transformed of [rot13(lower), [...lower].reverse().join('')]) {
    const { folds, lead, tail } = parseLiteral(id, transformed, 'whole');
    if (folds.length >= MIN_TRANSFORMED && lead === '' && tail === '' && !isWord(transformed))
      add(transformed, 'whole');
  }
  return [...forms.values()];
}

function parseLiteral(id: number, raw: string, reading: Literal['reading']): Literal {
  letters.read(raw, false);
  const { count, starts, ends } = letters;
  const at = (index: number): number => (index < count ? (starts[index] ?? 0) : raw.length);
  const indexes = Array.from({ length: count }, (_, index) => index);
  return {
    id,
    raw,
    lower: raw.toLowerCase(),
    folds: Array.from(letters.folds.subarray(0, count)),
    pieces: indexes.map((index) => pieceOf(raw, at(index), ends[index] ?? 0)),
    gaps: indexes.slice(1).map((index) => gapBetween(raw, ends[index - 1] ?? 0, at(index))),
    lead: raw.slice(0, at(0)),
    tail: count === 0 ? '' : withoutIgnored(raw.slice(ends[count - 1])),
    reading,
  };
}

function titled(raw: string): string {
  return raw.toLowerCase().replace(/(?<![\p{L}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase());
}

function rot13(text: string): string {
  return text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97));
}

const MARKS = /^[\p{M}\u200c\u200d]+/u;
const IGNORED = /[\p{M}\p{Cf}\u115f\u1160\u3164\uffa0\u2800]|[^\P{Cc}\t-\r]/gu;

/** Returns a character with its marks, composed and lowercase. */
export function pieceOf(text: string, start: number, end: number): string {
  const next = text.charCodeAt(end);
  const marks = next >= 0x300 ? (MARKS.exec(text.slice(end, end + 8))?.[0] ?? '') : '';
  const written = text.slice(start, end) + marks;
  if (written.length === 1 && written < '\x80') return written.toLowerCase();
  return written
    .replace(/[\u200c\u200d]/g, '')
    .normalize('NFC')
    .toLowerCase();
}

/** Returns the visible characters between two letters, in NFKC. */
export function gapBetween(text: string, end: number, start: number): string {
  return start <= end ? '' : withoutIgnored(text.slice(end, start));
}

function withoutIgnored(text: string): string {
  if (text.length <= 1 && text < '\x7f' && text > '\x1f') return text;
  return text.replace(IGNORED, '').normalize('NFKC');
}
