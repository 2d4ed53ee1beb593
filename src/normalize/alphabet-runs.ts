import { kindOf, kinds } from './characters.ts';

/** 1 for the characters of an alphabet, by code unit. */
export type Alphabet = Uint8Array;

export function alphabetOf(characters: string): Alphabet {
  const alphabet = new Uint8Array(128);
  for (const character of characters) alphabet[character.charCodeAt(0)] = 1;
  return alphabet;
}

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export const BASE64_LETTERS: Alphabet = alphabetOf(`${LETTERS_AND_DIGITS}+/_-`);

export const NO_DIGIT = 255;

/** Returns the digit values by character code; `NO_DIGIT` for other characters. */
export function digitValues(...alphabets: readonly string[]): Uint8Array {
  const values = new Uint8Array(128).fill(NO_DIGIT);
  for (const alphabet of alphabets) {
    for (let value = 0; value < alphabet.length; value++) values[alphabet.charCodeAt(value)] = value;
  }
  return values;
}

export const BASE64_VALUES: Uint8Array = digitValues(`${LETTERS_AND_DIGITS}+/`, `${LETTERS_AND_DIGITS}-_`);

export const hasRun = (text: string, alphabet: Alphabet, length: number): boolean =>
  nextRun(text, alphabet, length, 0) >= 0;

/** Returns the start of the next run of at least `length` characters, or -1. Skips several characters at once. */
export function nextRun(text: string, alphabet: Alphabet, length: number, from: number): number {
  for (let last = from + length - 1; last < text.length;) {
    let at = last;
    while (at > last - length && alphabet[text.charCodeAt(at)] === 1) at--;
    if (at === last - length) {
      while (at >= from && alphabet[text.charCodeAt(at)] === 1) at--;
      return at + 1;
    }
    last = at + length;
  }
  return -1;
}

/** Maximum number of code units between two single letters: a sign with a space on each side. */
const MAX_GAP = 3;

const SINGLE_SIGNS = alphabetOf(`${LETTERS_AND_DIGITS}@$!`);

/** Fast test for three single letters, digits or leet signs close together. */
export function hasSingles(text: string): boolean {
  let singles = 0;
  let start = -1;
  let end = 0;
  for (let at = 0; at <= text.length; at++) {
    const unit = at < text.length ? text.charCodeAt(at) : 0;
    if (unit < 128 ? SINGLE_SIGNS[unit] === 1 : isLetterAt(text, at, unit)) {
      if (start < 0) start = at;
      continue;
    }
    if (start < 0) continue;
    const isSingle = at - start === 1 || (at - start === 2 && text.charCodeAt(start) >= 0xd800);
    singles = isSingle ? (start - end <= MAX_GAP ? singles + 1 : 1) : 0;
    if (singles >= 3) return true;
    start = -1;
    end = at;
  }
  return false;
}

/** Reports whether a code unit belongs to a non-ASCII letter, mark or invisible character, perhaps as a surrogate. */
function isLetterAt(text: string, at: number, unit: number): boolean {
  const isSecond = unit >= 0xdc00 && unit < 0xe000 && at > 0;
  const codePoint = text.codePointAt(isSecond ? at - 1 : at) ?? 0;
  return kindOf(isSecond && codePoint < 0x10000 ? unit : codePoint) !== kinds.other;
}
