/** Distinct 16-bit hashes of n-grams, in order of first occurrence. */
export type GramSet = Readonly<Uint16Array>;

export interface WordGrams {
  readonly grams: Readonly<Uint16Array>;
  /** End of each word in `grams`. */
  readonly ends: Readonly<Uint32Array>;
}

/** Minimum length of a run of shared n-grams. In a shorter word, all n-grams must be shared. */
const MIN_RUN = 3;
export const FNV_OFFSET = 0x811c9dc5;
export const FNV_PRIME = 0x01000193;
const SPACE = 0x20;

export const NO_GRAMS: GramSet = new Uint16Array(0);

/** A mark for each n-gram while a function is running, otherwise 0. Ten times faster than a `Set` of numbers. */
const marks = new Uint8Array(0x10000);
const SEEN = 1;
const IN_SET = 2;
const SHARED = 4;

/** Returns the 3-character n-grams of each word, with a space added at each end. */
export function wordGrams(words: readonly string[]): WordGrams {
  const grams = new Uint16Array(words.reduce((sum, { length }) => sum + length, 0));
  const ends = new Uint32Array(words.length);
  let count = 0;
  for (const [index, word] of words.entries()) {
    let [before, unit] = [SPACE, word.charCodeAt(0)];
    for (let at = 1; at <= word.length; at++) {
      const next = at < word.length ? word.charCodeAt(at) : SPACE;
      grams[count++] = gram16(before, unit, next);
      before = unit;
      unit = next;
    }
    ends[index] = count;
  }
  return { grams, ends };
}

/** FNV-1a over the UTF-16 code units of one n-gram, folded to 16 bits. */
export function gram16(one: number, two: number, three: number): number {
  let hash = Math.imul(FNV_OFFSET ^ one, FNV_PRIME);
  hash = Math.imul(hash ^ two, FNV_PRIME);
  hash = Math.imul(hash ^ three, FNV_PRIME);
  return (hash ^ (hash >>> 16)) & 0xffff;
}

export function gramSet({ grams }: WordGrams): GramSet {
  return distinct(grams);
}

export function union(one: GramSet, other: GramSet): GramSet {
  if (other.length === 0) return one;
  const both = new Uint16Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return distinct(both);
}

export function difference(set: GramSet, others: readonly GramSet[]): GramSet {
  for (const other of others) markGrams(other, SEEN);
  const left = set.filter((gram) => marks[gram] === 0);
  for (const other of others) unmark(other);
  return left;
}

function distinct(grams: Readonly<Uint16Array>): GramSet {
  const set = new Uint16Array(grams.length);
  const known = marks;
  let size = 0;
  for (let at = 0; at < grams.length; at++) {
    const gram = grams[at] ?? 0;
    if (known[gram] !== 0) continue;
    known[gram] = SEEN;
    set[size++] = gram;
  }
  unmark(grams);
  return set.slice(0, size);
}

function markGrams(grams: GramSet, as: number): void {
  for (let at = 0; at < grams.length; at++) marks[grams[at] ?? 0] = as;
}

function unmark(grams: GramSet): void {
  for (let at = 0; at < grams.length; at++) marks[grams[at] ?? 0] = 0;
}

/** Returns whole words with at most `maxGrams` distinct n-grams, half from each end. */
export function headAndTailWords(words: WordGrams, maxGrams: number): WordGrams {
  const { grams, ends } = words;
  if (grams.length <= maxGrams) return words;
  const head = wordsWithin(words, maxGrams / 2, 0, ends.length);
  const tail = ends.length - wordsWithin(words, maxGrams / 2, ends.length - 1, head - 1);
  return joinWords(wordsBetween(words, 0, head), wordsBetween(words, tail, ends.length));
}

/** Returns the first words with at most `maxGrams` distinct n-grams, or undefined if all words fit. */
export function headWords(words: WordGrams, maxGrams: number): WordGrams | undefined {
  const count = wordsWithin(words, maxGrams, 0, words.ends.length);
  return count === words.ends.length ? undefined : wordsBetween(words, 0, count);
}

/** Returns the last words with at most `maxGrams` distinct n-grams, or undefined if all words fit. */
export function tailWords(words: WordGrams, maxGrams: number): WordGrams | undefined {
  const { length } = words.ends;
  const count = wordsWithin(words, maxGrams, length - 1, -1);
  return count === length ? undefined : wordsBetween(words, length - count, length);
}

function wordsBetween(words: WordGrams, from: number, to: number): WordGrams {
  const start = wordEnd(words, from - 1);
  const ends = words.ends.slice(from, to);
  for (let at = 0; at < ends.length; at++) ends[at] = (ends[at] ?? 0) - start;
  return { grams: words.grams.slice(start, wordEnd(words, to - 1)), ends };
}

export function joinWords(head: WordGrams, tail: WordGrams): WordGrams {
  const grams = new Uint16Array(head.grams.length + tail.grams.length);
  grams.set(head.grams);
  grams.set(tail.grams, head.grams.length);
  const ends = new Uint32Array(head.ends.length + tail.ends.length);
  ends.set(head.ends);
  for (let at = 0; at < tail.ends.length; at++) {
    ends[head.ends.length + at] = head.grams.length + (tail.ends[at] ?? 0);
  }
  return { grams, ends };
}

/** Returns the number of words from `from` towards `until` that have at most `maxGrams` distinct n-grams in total. */
function wordsWithin(words: WordGrams, maxGrams: number, from: number, until: number): number {
  const { grams } = words;
  const known = marks;
  const step = from <= until ? 1 : -1;
  let size = 0;
  let index = from;
  for (; index !== until && size <= maxGrams; index += step) {
    for (let at = wordEnd(words, index - 1); at < wordEnd(words, index); at++) {
      const gram = grams[at] ?? 0;
      if (known[gram] !== SEEN) size += 1;
      known[gram] = SEEN;
    }
  }
  const count = Math.abs(index - from) - (size > maxGrams ? 1 : 0);
  const [first, last] = step === 1 ? [from, index - 1] : [index + 1, from];
  for (let at = wordEnd(words, first - 1); at < wordEnd(words, last); at++) known[grams[at] ?? 0] = 0;
  return count;
}

function wordEnd({ ends }: WordGrams, index: number): number {
  return index < 0 ? 0 : (ends[index] ?? 0);
}

/**
 * Returns |A ∩ B| / |A|, or 0 for empty A. Counts only runs of shared n-grams, because unrelated texts share single
 * n-grams ("ion", "pro"), whereas related texts share words.
 */
export function containment(words: WordGrams, set: GramSet): number {
  const { grams, ends } = words;
  if (grams.length === 0 || set.length === 0) return 0;
  markGrams(set, IN_SET);
  let shared = 0;
  for (let index = 0; index < ends.length; index++) {
    shared += sharedRuns(grams, wordEnd(words, index - 1), wordEnd(words, index));
  }
  const size = countUnseen(grams);
  unmark(grams);
  unmark(set);
  return shared / size;
}

/** Marks the shared runs of one word, and returns the number of newly marked n-grams. */
function sharedRuns(grams: GramSet, from: number, to: number): number {
  const minRun = Math.min(MIN_RUN, to - from);
  let noted = 0;
  let start = from;
  for (let at = from; at <= to; at++) {
    if (at < to && (marks[grams[at] ?? 0] ?? 0) !== 0) continue;
    for (let shared = start; at - start >= minRun && shared < at; shared++) {
      const gram = grams[shared] ?? 0;
      if (marks[gram] !== SHARED) noted += 1;
      marks[gram] = SHARED;
    }
    start = at + 1;
  }
  return noted;
}

function countUnseen(grams: GramSet): number {
  let size = 0;
  for (let at = 0; at < grams.length; at++) {
    const gram = grams[at] ?? 0;
    if (marks[gram] !== SEEN) size += 1;
    marks[gram] = SEEN;
  }
  return size;
}

/** Characters per n-gram in {@link encodeGrams}. */
export const GRAM_TEXT_CHARS = 3;
const BITS_PER_CHAR = 6;
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE64_CODES = Buffer.from(BASE64, 'latin1');

/**
 * Encodes a set as text, three characters per n-gram. Concatenated texts encode a union. Built in one buffer, because
 * joining character by character takes ten times the memory.
 */
export function encodeGrams(set: GramSet): string {
  const codes = Buffer.allocUnsafe(set.length * GRAM_TEXT_CHARS);
  let at = 0;
  for (const gram of set) {
    for (let char = GRAM_TEXT_CHARS - 1; char >= 0; char--) {
      codes[at++] = BASE64_CODES[(gram >>> (char * BITS_PER_CHAR)) & 63] ?? 0;
    }
  }
  return codes.toString('latin1');
}

/** Base64 values by character code; 64 for other characters. */
const BASE64_VALUES = Uint8Array.from({ length: 128 }, (_, unit) => {
  const value = BASE64.indexOf(String.fromCharCode(unit));
  return value < 0 ? 64 : value;
});

/** Returns the set encoded by {@link encodeGrams}, or undefined if the text is invalid. */
export function decodeGrams(text: string): GramSet | undefined {
  if (text === '') return NO_GRAMS;
  if (text.length % GRAM_TEXT_CHARS !== 0) return undefined;
  const grams = new Uint16Array(text.length / GRAM_TEXT_CHARS);
  for (let at = 0; at < text.length; at += GRAM_TEXT_CHARS) {
    let gram = 0;
    for (let char = at; char < at + GRAM_TEXT_CHARS; char++) {
      const value = BASE64_VALUES[text.charCodeAt(char)] ?? 64;
      if (value === 64) return undefined;
      gram = (gram << BITS_PER_CHAR) | value;
    }
    if (gram > 0xffff) return undefined;
    grams[at / GRAM_TEXT_CHARS] = gram;
  }
  return distinct(grams);
}
