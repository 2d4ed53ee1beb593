import {
  FNV_OFFSET,
  FNV_PRIME,
  headAndTailWords,
  headWords,
  joinWords,
  tailWords,
  wordGrams,
  type WordGrams,
  gram16,
} from './ngrams.ts';
import { STOPWORDS } from './stopwords.ts';
import { UnitReader } from './units.ts';

/** Longer words (Base64, hashes, minified lines) are split. */
const MAX_WORD_CHARS = 32;

const SPACE = 0x20;
const C = 0x63;
const D = 0x64;
const E = 0x65;
const G = 0x67;
const H = 0x68;
const I = 0x69;
const N = 0x6e;
const S = 0x73;
const U = 0x75;
const X = 0x78;
const Y = 0x79;

/** Lower-case codes of ASCII letters and digits; 0 for other characters. */
const IN_WORD = Uint8Array.from({ length: 128 }, (_, unit) => {
  const sign = String.fromCharCode(unit);
  return /[A-Za-z0-9]/.test(sign) ? sign.toLowerCase().charCodeAt(0) : 0;
});

/** Number of slots in a hash table of stopwords, whose letters are concatenated. */
const SLOTS = 4_096;
const slots = new Uint16Array(SLOTS);
const letters = Uint8Array.from([...STOPWORDS].join(''), (letter) => letter.charCodeAt(0));
const starts = new Uint16Array(STOPWORDS.size + 1);
for (const [index, word] of [...STOPWORDS].entries()) {
  starts[index + 1] = (starts[index] ?? 0) + word.length;
  let hash = FNV_OFFSET;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), FNV_PRIME);
  let slot = slotOfHash(hash);
  while (slots[slot] !== 0) slot = (slot + 1) % SLOTS;
  slots[slot] = index + 1;
}

function slotOfHash(hash: number): number {
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}

const reader = new UnitReader(8_192);
let grams = new Uint16Array(8_192);
let ends = new Uint32Array(4_096);

/** Returns the n-grams of `contentWords`, or undefined for non-ASCII text. The next call overwrites the result. */
export function asciiWordGrams(text: string): WordGrams | undefined {
  const units = reader.read(text);
  const { length } = text;
  const inWord = IN_WORD;
  if (grams.length < length) grams = new Uint16Array(length);
  if (ends.length < length) ends = new Uint32Array(length);
  let count = 0;
  let size = 0;
  for (let at = 0; at < length; at++) {
    const start = at;
    let hash = FNV_OFFSET;
    let unit = units[at] ?? 0;
    for (; unit < 128; unit = units[++at] ?? 0) {
      const letter = inWord[unit] ?? 0;
      if (letter === 0) break;
      units[at] = letter;
      hash = Math.imul(hash ^ letter, FNV_PRIME);
    }
    if (unit >= 128) return undefined;
    if (at - start < 2 || isStopword(units, start, at, hash)) continue;
    const end = stemEnd(units, start, at);
    for (let from = start; from < end; from += MAX_WORD_CHARS) {
      const to = Math.min(end, from + MAX_WORD_CHARS);
      addGrams(grams, units, from, to, size);
      size += to - from;
      ends[count++] = size;
    }
  }
  return { grams: grams.subarray(0, size), ends: ends.subarray(0, count) };
}

function isStopword(units: Uint16Array, start: number, end: number, hash: number): boolean {
  for (let slot = slotOfHash(hash); slots[slot] !== 0; slot = (slot + 1) % SLOTS) {
    const index = (slots[slot] ?? 0) - 1;
    const from = starts[index] ?? 0;
    if ((starts[index + 1] ?? 0) - from !== end - start) continue;
    let at = start;
    while (at < end && units[at] === letters[from + at - start]) at += 1;
    if (at === end) return true;
  }
  return false;
}

/** Returns the end of the stem (see `stem`). Writes `y` into `units` for the ending `ies`. */
function stemEnd(units: Uint16Array, start: number, end: number): number {
  const last = units[end - 1];
  if (last !== S && last !== G && last !== D) return end;
  const singular = last === S ? singularEnd(units, start, end) : end;
  const length = singular - start;
  const [third, second, first] = [units[singular - 3], units[singular - 2], units[singular - 1]];
  if (length > 5 && third === I && second === N && first === G) return singular - 3;
  if (length > 4 && second === E && first === D) return singular - 2;
  return singular;
}

function singularEnd(units: Uint16Array, start: number, end: number): number {
  const length = end - start;
  const second = units[end - 2];
  const third = units[end - 3];
  if (length > 4 && second === E) {
    if (third === I) {
      units[end - 3] = Y;
      return end - 2;
    }
    const fourth = units[end - 4];
    const isAfterHiss = third === S ? fourth === S : third === H ? fourth === C || fourth === S : third === X;
    if (isAfterHiss) return end - 2;
  }
  return length > 3 && second !== S && second !== U && second !== I ? end - 1 : end;
}

/** Adds the n-grams of one word, with a space added at each end. */
function addGrams(into: Uint16Array, units: Uint16Array, from: number, to: number, start: number): void {
  let size = start;
  let before = SPACE;
  let unit = units[from] ?? 0;
  for (let at = from + 1; at <= to; at++) {
    const next = at < to ? (units[at] ?? 0) : SPACE;
    into[size++] = gram16(before, unit, next);
    before = unit;
    unit = next;
  }
}

/** Only the head and tail of longer texts are read. */
const MAX_CHARS = 4_096;

const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const RUNS = new RegExp(String.raw`([${UNSPACED}]+)|[[\p{L}\p{M}\p{N}]--[${UNSPACED}]]+`, 'gv');

/**
 * Returns the content words of a text, with repeats: NFKC in lower case, without stopwords, lightly stemmed. In scripts
 * without spaces, every two adjacent characters form a word.
 */
export function contentWords(text: string): string[] {
  const words: string[] = [];
  // Truncated twice, because NFKC may expand one character to a sentence.
  const read = headAndTail(headAndTail(text).normalize('NFKC')).toLowerCase();
  for (const [run, unspaced] of read.matchAll(RUNS)) {
    if (unspaced !== undefined) addCharacterPairs(words, unspaced);
    else addWord(words, run);
  }
  return words;
}

/**
 * Returns the n-grams of content words from both ends, at most `maxGrams` distinct ones. The next call overwrites the
 * result.
 */
export function contentGrams(text: string, maxGrams: number): WordGrams {
  return gramsOfEnds(text, maxGrams) ?? headAndTailWords(gramsOfAll(text), maxGrams);
}

function gramsOfAll(text: string): WordGrams {
  return asciiWordGrams(headAndTail(text)) ?? wordGrams(contentWords(text));
}

const END_CHARS = 640;

/** Returns undefined if the whole text must be read. */
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

/** Removes common English endings (plural, -ed, -ing) from a word in lower case. */
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
