import type { EditedText } from '../inspect/offset-map.ts';
import { isWord } from './english-words.ts';

const ACCENTED = /(?<![A-Za-z\u00c0-\u017f])[A-Za-z]{0,24}[\u00c0-\u017f][A-Za-z\u00c0-\u017f]*/g;

const MIN_WORDS = 3;

/** Removes accents if most accented words are English without them (docs/normalization.md). */
export function removeAccents(text: string, edited: EditedText): void {
  if (!/[\u00c0-\u017f]/.test(text)) return;
  const words = [...text.matchAll(ACCENTED)].map((match) => ({ at: match.index, word: match[0] }));
  const known = words.filter(({ word }) => isWord(plain(word)));
  if (known.length < MIN_WORDS || known.length < words.length * 0.6) return;
  for (const { at, word } of words) {
    for (let offset = 0; offset < word.length; offset++) {
      const letter = word.charAt(offset);
      const base = plain(letter);
      if (base !== letter && base.length === 1) edited.replace(at + offset, at + offset + 1, base);
    }
  }
}

const BASE_LETTERS: readonly string[] = Array.from({ length: 0x180 }, (_, unit) =>
  String.fromCharCode(unit).normalize('NFD').charAt(0),
);

function plain(word: string): string {
  let letters = '';
  for (let at = 0; at < word.length; at++) letters += BASE_LETTERS[word.charCodeAt(at)] ?? word.charAt(at);
  return letters;
}
