import { kindOf, kinds } from './characters.ts';

/** The characters a run may consist of, by code unit below 128. */
export type Alphabet = Uint8Array;

export function alphabetOf(characters: string): Alphabet {
  const alphabet = new Uint8Array(128);
  for (const character of characters) alphabet[character.charCodeAt(0)] = 1;
  return alphabet;
}

/** Whether a text has `length` characters of an alphabet in a row; looks at few of them where it has not. */
export function hasRun(text: string, alphabet: Alphabet, length: number): boolean {
  for (let last = length - 1; last < text.length;) {
    let at = last;
    while (at > last - length && alphabet[text.charCodeAt(at)] === 1) at--;
    if (at === last - length) return true;
    last = at + length;
  }
  return false;
}

/** How many units may stand between the letters of a chain: a sign with a space on either side. */
const widestGap = 3;

/** Whether three letters, digits or leet signs in a row stand alone, close to each other. Cheap, for most texts have none. */
export function hasSingles(text: string): boolean {
  let singles = 0;
  let end = 0;
  for (let at = 0; at < text.length;) {
    const wordEnd = endOfWord(text, at);
    if (wordEnd === at) {
      at++;
      continue;
    }
    const isSingle = wordEnd - at === 1 || (wordEnd - at === 2 && text.charCodeAt(at) >= 0xd800);
    singles = isSingle ? (at - end <= widestGap ? singles + 1 : 1) : 0;
    if (singles >= 3) return true;
    end = wordEnd;
    at = wordEnd;
  }
  return false;
}

function endOfWord(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit < 0xdc00) {
      const kind = kindOf(text.codePointAt(at) ?? 0);
      if (kind === kinds.other) return at;
      at += 2;
    } else {
      if (kindOf(unit) === kinds.other && !isLeetSign(unit)) return at;
      at++;
    }
  }
  return at;
}

/** `@`, `$` and `!`. */
const isLeetSign = (unit: number): boolean => unit === 0x40 || unit === 0x24 || unit === 0x21;
