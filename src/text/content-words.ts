import { asciiWordGrams, MAX_WORD_CHARS } from './ascii-words.ts';
import { headAndTailWords, headWords, joinWords, tailWords, wordGrams, type WordGrams } from './ngrams.ts';
import { STOPWORDS } from './stopwords.ts';

/** Of longer texts, head and tail are read. */
const MAX_CHARS = 4_096;

/** Scripts that put no spaces between words. */
const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const RUNS = new RegExp(String.raw`([${UNSPACED}]+)|[[\p{L}\p{M}\p{N}]--[${UNSPACED}]]+`, 'gv');

/**
 * The words that tell what a text is about, in order, with repeats: lower-cased after NFKC, without stopwords,
 * lightly stemmed. Where a script puts no spaces between words, each two neighbouring characters are one.
 */
export function contentWords(text: string): string[] {
  const words: string[] = [];
  // Twice: NFKC makes a sentence of a single character.
  const read = headAndTail(headAndTail(text).normalize('NFKC')).toLowerCase();
  for (const [run, unspaced] of read.matchAll(RUNS)) {
    if (unspaced !== undefined) addCharacterPairs(words, unspaced);
    else addWord(words, run);
  }
  return words;
}

/**
 * The n-grams of as many of them from both ends as have at most `maxGrams`, to be done with before those of another text
 * are asked for.
 */
export function contentGrams(text: string, maxGrams: number): WordGrams {
  return gramsOfEnds(text, maxGrams) ?? headAndTailWords(gramsOfAll(text), maxGrams);
}

function gramsOfAll(text: string): WordGrams {
  return asciiWordGrams(headAndTail(text)) ?? wordGrams(contentWords(text));
}

/** Read of either end at first. */
const END_CHARS = 640;

/** Undefined where what lies between has to be read too. */
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

/** Undefined where NFKC makes more of it than is read of one end. */
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

/**
 * Takes off the commonest English endings (plural, -ed, -ing), so that a word in two forms shares most of its
 * n-grams. Lower-case words; words of other languages lose a letter at worst, in both texts alike.
 */
export function stem(word: string): string {
  if (!ENDINGS.has(word.charCodeAt(word.length - 1))) return word;
  const singular = withoutPlural(word);
  if (singular.length > 5 && singular.endsWith('ing')) return singular.slice(0, -3);
  if (singular.length > 4 && singular.endsWith('ed')) return singular.slice(0, -2);
  return singular;
}

/** What the endings end with. */
const ENDINGS = new Set([...'sgd'].map((letter) => letter.charCodeAt(0)));

function withoutPlural(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !/(ss|us|is)$/.test(word)) return word.slice(0, -1);
  return word;
}
