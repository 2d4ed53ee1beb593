import { asciiWordGrams, MAX_WORD_CHARS } from './ascii-words.ts';
import { headAndTailWords, headWords, joinWords, tailWords, wordGrams, type WordGrams } from './ngrams.ts';
import { STOPWORDS } from './stopwords.ts';

/** Only the head and tail of longer texts are read. */
const MAX_CHARS = 4_096;

const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const RUNS = new RegExp(String.raw`([${UNSPACED}]+)|[[\p{L}\p{M}\p{N}]--[${UNSPACED}]]+`, 'gv');

/**
 * Returns the content words of a text, with repeats: NFKC in lower case, without stopwords, lightly stemmed. In scripts
 * without spaces, every two adjacent characters are a word.
 */
export function contentWords(text: string): string[] {
  const words: string[] = [];
  // Cut twice, since NFKC may expand one character to a sentence.
  const read = headAndTail(headAndTail(text).normalize('NFKC')).toLowerCase();
  for (const [run, unspaced] of read.matchAll(RUNS)) {
    if (unspaced !== undefined) addCharacterPairs(words, unspaced);
    else addWord(words, run);
  }
  return words;
}

/** Returns up to `maxGrams` n-grams of content words from both ends. The next call overwrites the result. */
export function contentGrams(text: string, maxGrams: number): WordGrams {
  return gramsOfEnds(text, maxGrams) ?? headAndTailWords(gramsOfAll(text), maxGrams);
}

function gramsOfAll(text: string): WordGrams {
  return asciiWordGrams(headAndTail(text)) ?? wordGrams(contentWords(text));
}

const END_CHARS = 640;

/** Returns undefined if the middle must also be read. */
function gramsOfEnds(text: string, maxGrams: number): WordGrams | undefined {
  if (text.length <= 2 * END_CHARS) return undefined;
  const headEnd = text.lastIndexOf(' ', END_CHARS);
  const tailStart = text.indexOf(' ', text.length - END_CHARS);
  if (headEnd < 0 || tailStart < 0) return undefined;
  const inHead = gramsOfEnd(text.slice(0, headEnd));
  const head = inHead && headWords(inHead, maxGrams / 2);
  const inTail = head && gramsOfEnd(text.slice(tailStart));
  const tail = inTail && tailWords(inTail, maxGrams / 2);
  return tail && joinWords(head, tail);
}

/** Returns undefined if NFKC expands the text too much. */
function gramsOfEnd(text: string): WordGrams | undefined {
  const grams = asciiWordGrams(text);
  if (grams !== undefined) return grams;
  return text.normalize('NFKC').length < MAX_CHARS / 2 ? wordGrams(contentWords(text)) : undefined;
}

function addWord(words: string[], run: string): void {
  if (run.length >= 2 && !STOPWORDS.has(run)) addPieces(words, stem(run));
}

function headAndTail(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  return `${text.slice(0, MAX_CHARS / 2)}\n${text.slice(-MAX_CHARS / 2)}`;
}

function addCharacterPairs(words: string[], run: string): void {
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

/** Removes common English endings (plural, -ed, -ing) in lower case. Other languages lose at most a letter. */
export function stem(word: string): string {
  if (!ENDINGS.has(word.charCodeAt(word.length - 1))) return word;
  const singular = withoutPlural(word);
  if (singular.length > 5 && singular.endsWith('ing')) return singular.slice(0, -3);
  if (singular.length > 4 && singular.endsWith('ed')) return singular.slice(0, -2);
  return singular;
}

const ENDINGS = new Set([...'sgd'].map((letter) => letter.charCodeAt(0)));

function withoutPlural(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !/(ss|us|is)$/.test(word)) return word.slice(0, -1);
  return word;
}
