import { LEET_DIGITS, LEET_SIGNS } from '../../normalize/leet-letters.ts';
import { kindOf, kinds, plainOf } from '../../normalize/characters.ts';

/**
 * Folds characters to compare disguised words: lookalikes, styled and accented letters become ASCII letters, capitals
 * become lower case, and digits become the letters that they replace.
 */

/** Separates two letters. */
export const SEPARATOR = 0;
/** Invisible characters, and marks on the preceding letter. */
export const IGNORED = 1;

/** Letters that digits can replace. `i` and `l` share one fold, because `1` replaces both. */
const DIGITS: Readonly<Record<string, string>> = { ...LEET_DIGITS, 2: 'z' };
const SIGNS: Readonly<Record<string, string>> = {
  ...LEET_SIGNS,
  '<': 'c',
  '€': 'e',
  '£': 'l',
  '¥': 'y',
  '¡': 'l',
};
/** Letters that Unicode does not decompose. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
};

/** A character that expands to more letters is not folded. */
const MAX_LETTERS = 4;

function asciiFold(character: string): number {
  const letter = DIGITS[character] ?? character.toLowerCase();
  if (!/^[a-z]$/.test(letter)) return SEPARATOR;
  return (letter === 'i' ? 'l' : letter).charCodeAt(0);
}

/** By code unit below 128. */
export const ASCII_FOLDS: Uint8Array = Uint8Array.from({ length: 128 }, (_, unit) => {
  if (unit < 0x09 || (unit > 0x0d && unit < 0x20) || unit === 0x7f) return IGNORED;
  return asciiFold(String.fromCharCode(unit));
});

/** By code unit below 256: the letter that a sign replaces, or 0. */
export const SIGN_FOLDS: Uint8Array = new Uint8Array(256);
for (const [sign, letter] of Object.entries(SIGNS)) {
  if (sign.charCodeAt(0) < 256) SIGN_FOLDS[sign.charCodeAt(0)] = letter.charCodeAt(0);
}

const known = new Map<number, readonly number[]>();
const MAX_KNOWN = 8_192;

const NOTHING = [IGNORED];
const APART = [SEPARATOR];

/** Returns the folds of a code point outside ASCII; several for ligatures. */
export function foldsOf(codePoint: number): readonly number[] {
  const cached = known.get(codePoint);
  if (cached !== undefined) return cached;
  if (known.size >= MAX_KNOWN) known.clear();
  const folds = foldsBeyondAscii(codePoint);
  known.set(codePoint, folds);
  return folds;
}

function foldsBeyondAscii(codePoint: number): readonly number[] {
  const kind = kindOf(codePoint);
  if (kind === kinds.invisible || kind === kinds.mark) return NOTHING;
  const written = String.fromCodePoint(codePoint);
  const plain = plainOf(codePoint) ?? plainOf(written.toLowerCase().codePointAt(0) ?? 0);
  if (plain !== undefined) return [ASCII_FOLDS[plain.charCodeAt(0)] ?? SEPARATOR];
  if (!/[\p{L}\p{N}]/u.test(written)) return isMark(written) ? NOTHING : APART;
  const letters = [...spelled(written)].filter((letter) => !isMark(letter));
  const folds = letters.map(letterFold).filter((fold) => fold !== SEPARATOR);
  return folds.length === 0 || folds.length > MAX_LETTERS ? [codePoint] : folds;
}

function spelled(written: string): string {
  const lower = written.toLowerCase();
  return (SPELLED[lower] ?? lower.normalize('NFKC').toLowerCase()).normalize('NFD');
}

function letterFold(letter: string): number {
  const codePoint = letter.codePointAt(0) ?? 0;
  if (codePoint < 128) return ASCII_FOLDS[codePoint] ?? SEPARATOR;
  const plain = plainOf(codePoint);
  if (plain !== undefined) return ASCII_FOLDS[plain.charCodeAt(0)] ?? SEPARATOR;
  return /[\p{L}\p{N}]/u.test(letter) ? codePoint : SEPARATOR;
}

function isMark(text: string): boolean {
  return /^\p{M}+$/u.test(text);
}
