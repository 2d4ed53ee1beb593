import { stem } from './stem.ts';
import { STOPWORDS } from './stopwords.ts';

/** Of longer texts, head and tail are read. */
const MAX_CHARS = 4_096;
/** No word is longer; what is (base64, a hash, a minified line) is read in pieces. */
const MAX_WORD_CHARS = 32;

/** Scripts that put no spaces between words. */
const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const RUNS = new RegExp(String.raw`([${UNSPACED}]+)|[[\p{L}\p{M}\p{N}]--[${UNSPACED}]]+`, 'gv');
/** The same in text of ASCII alone, lower-cased: a list of strings takes half the time that a walk over matches does. */
const ASCII_RUNS = /[a-z0-9]+/g;
const BEYOND_ASCII = /[^\0-\x7f]/;

/**
 * The words that tell what a text is about, in order, with repeats: lower-cased after NFKC, without stopwords,
 * lightly stemmed. Where a script puts no spaces between words, each two neighbouring characters are one.
 */
export function contentWords(text: string): string[] {
  const words: string[] = [];
  // Twice: NFKC makes a sentence of a single character.
  const read = headAndTail(headAndTail(text).normalize('NFKC')).toLowerCase();
  if (!BEYOND_ASCII.test(read)) {
    for (const run of read.match(ASCII_RUNS) ?? []) addWord(words, run);
    return words;
  }
  for (const [run, unspaced] of read.matchAll(RUNS)) {
    if (unspaced !== undefined) addPairs(words, unspaced);
    else addWord(words, run);
  }
  return words;
}

function addWord(words: string[], run: string): void {
  if (run.length >= 2 && !STOPWORDS.has(run)) addPieces(words, stem(run));
}

function headAndTail(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  return `${text.slice(0, MAX_CHARS / 2)}\n${text.slice(-MAX_CHARS / 2)}`;
}

function addPairs(words: string[], run: string): void {
  const [first = '', ...others] = run;
  if (others.length === 0) words.push(first);
  let before = first;
  for (const character of others) {
    words.push(before + character);
    before = character;
  }
}

function addPieces(words: string[], word: string): void {
  for (let at = 0; at < word.length; at += MAX_WORD_CHARS) words.push(word.slice(at, at + MAX_WORD_CHARS));
}
