import { CONCEPTS } from './concepts.ts';

/** Longest word of `CONCEPTS` in a script without spaces. */
const MAX_ALONE_CHARS = 4;
const MIN_PREFIX_CHARS = 3;
const MAX_PREFIX_CHARS = 12;

const words = new Map<string, number>();
const prefixes = new Map<string, number>();
/** First characters of all prefixes. Most words begin differently and need no further lookup. */
const prefixBeginnings = new Set<string>();
const charsAlone = new Map<string, number>();
/** 1 for code units that begin a word in `charsAlone`. */
const beginnings = new Uint8Array(1 << 16);

for (const [index, list] of Object.values(CONCEPTS).entries()) {
  for (const word of list.split(/\s+/).filter((one) => one !== '')) {
    if (standsAlone(word.charCodeAt(0))) {
      charsAlone.set(word, index + 1);
      beginnings[word.charCodeAt(0)] = 1;
    } else if (word.endsWith('*')) {
      const prefix = folded(word.slice(0, -1));
      prefixes.set(prefix, index + 1);
      prefixBeginnings.add(prefix.slice(0, MIN_PREFIX_CHARS));
    } else words.set(folded(word), index + 1);
  }
}

/** Recognizes scripts without spaces (Han, kana, Thai, Lao), in which each character counts as a word. */
export function standsAlone(code: number): boolean {
  return (
    (code >= 0x2e80 && code <= 0x9fff) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0x0e00 && code <= 0x0eff)
  );
}

/** Recognizes letters, digits and apostrophes of scripts with spaces. */
export function isOfWord(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    isDigit(code) ||
    (code >= 0xc0 && code !== 0xd7 && code !== 0xf7 && code <= 0x1fff && !standsAlone(code)) ||
    (code >= 0xac00 && code <= 0xd7af) ||
    code === 39 ||
    code === 0x2019
  );
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function folded(word: string): string {
  const lower = word.toLowerCase();
  for (let at = 0; at < lower.length; at += 1)
    if (lower.charCodeAt(at) > 127) return lower.normalize('NFKD').replace(/\p{M}+/gu, '');
  return lower;
}

/** Returns the concept number of a folded word, starting at 1, or 0 if the word has no concept. */
export function conceptOf(word: string): number {
  const known = words.get(word);
  if (known !== undefined) return known;
  if (!prefixBeginnings.has(word.slice(0, MIN_PREFIX_CHARS))) return 0;
  for (let chars = Math.min(word.length, MAX_PREFIX_CHARS); chars >= MIN_PREFIX_CHARS; chars -= 1) {
    const found = prefixes.get(word.slice(0, chars));
    if (found !== undefined) return found;
  }
  return 0;
}

/** Returns the concept of the longest word at `at` in a script without spaces, or 0 if there is none. */
export function conceptAt(text: string, at: number): number {
  if (beginnings[text.charCodeAt(at)] === 0) return 0;
  for (let chars = MAX_ALONE_CHARS; chars >= 1; chars -= 1) {
    const found = charsAlone.get(text.slice(at, at + chars));
    if (found !== undefined) return found;
  }
  return 0;
}
