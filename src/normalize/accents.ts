import type { Rewriter } from './rewrite.ts';
import { isWord } from './english-words.ts';

const accented = /(?<![A-Za-z\u00c0-\u017f])[A-Za-z]{0,24}[\u00c0-\u017f][A-Za-z\u00c0-\u017f]*/g;

/** Fewest known words under accents that make a text dressed up English. */
const fewestWords = 3;

/**
 * Takes the accents off a text whose accented words are mostly English ones without them; no language writes so.
 * Accents are no disguise (docs/normalization.md), so this raises no flag.
 */
export function takeAccentsOff(text: string, rewriter: Rewriter): void {
  if (!/[\u00c0-\u017f]/.test(text)) return;
  const words = [...text.matchAll(accented)].map((match) => ({ at: match.index, word: match[0] }));
  const known = words.filter(({ word }) => isWord(plain(word)));
  if (known.length < fewestWords || known.length < words.length * 0.6) return;
  for (const { at, word } of words) {
    for (let offset = 0; offset < word.length; offset++) {
      const letter = word.charAt(offset);
      const base = plain(letter);
      if (base !== letter && base.length === 1) rewriter.replace(at + offset, at + offset + 1, base);
    }
  }
}

/** Letters U+00C0 to U+017F without their accent, where they have one. */
const baseLetters: readonly string[] = Array.from({ length: 0x180 }, (_, unit) =>
  String.fromCharCode(unit).normalize('NFD').charAt(0),
);

function plain(word: string): string {
  let letters = '';
  for (let at = 0; at < word.length; at++) letters += baseLetters[word.charCodeAt(at)] ?? word.charAt(at);
  return letters;
}
