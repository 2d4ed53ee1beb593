import { conceptAt, conceptOf, folded, isDigit, isOfWord, standsAlone } from './lexicon.ts';

/** Receives what a text is made of. */
export interface FeatureSink {
  /** A word begins; the features that follow are its own. Offsets are UTF-16 units. */
  word(start: number, end: number): void;
  /** @param hash 32 bits, signed */
  feature(hash: number): void;
}

/** Changes whenever the same text gives other features: weights fit one version alone. */
export const FEATURES_VERSION = 1;

/** Longer words are keys, addresses or random: their beginnings say as much. */
const MAX_WORD_CHARS = 24;
/** Inflections of one word mostly share so many characters. */
const STEM_CHARS = 5;
/** Marks that are read between two words: more of them say nothing more. */
const MAX_MARKS = 3;
/** Concepts before a concept that are read with it, and how many words they may stand away. */
const PAIRED_CONCEPTS = 4;
const PAIRED_WORDS = 12;
/** The features of a word depend on so many words before it. */
export const CONTEXT_WORDS = PAIRED_WORDS;

const KIND = {
  word: 1,
  pair: 2,
  skip: 3,
  concept: 5,
  concepts: 6,
  triple: 7,
  mark: 8,
  stem: 20,
  stems: 21,
  stemSkip: 22,
} as const;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const ANY_NUMBER = 7;
const LINE_BREAK = 11;
const STEM_SEED = 0x5bd1e995;

/**
 * Reads a text as hashed features: words, pairs and triples of neighbours, stems, and the concepts that words of twelve
 * languages carry (`CONCEPTS`), alone and with those shortly before them. Linear: a word has some 25 features at most.
 *
 * @param from where a word begins, UTF-16 units; `CONTEXT_WORDS` further on the features are those of the whole text
 */
export function readFeatures(text: string, sink: FeatureSink, from = 0, to = text.length): void {
  readInto(new FeatureReader(sink, false), text, from, to);
}

/** Reads the features that a word has by itself: a fifth of them. */
export function readWords(text: string, sink: FeatureSink): void {
  readInto(new FeatureReader(sink, true), text, 0, text.length);
}

function readInto(reader: FeatureReader, text: string, from: number, to: number): void {
  for (let at = from; at < to;) {
    const code = text.charCodeAt(at);
    if (isOfWord(code)) {
      const end = endOfWord(text, at);
      reader.word(text, at, end);
      at = end;
      continue;
    }
    if (standsAlone(code)) reader.character(text, at);
    else if (code > 32 || code === 10) reader.mark(code);
    at += 1;
  }
}

function endOfWord(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isOfWord(text.charCodeAt(end))) end += 1;
  return end;
}

class FeatureReader {
  readonly #sink: FeatureSink;
  readonly #isBrief: boolean;
  /** The last words and marks, the latest first; stems of the last words. */
  readonly #ids = [0, 0, 0];
  readonly #stems = [0, 0, 0];
  readonly #concepts: number[] = [];
  readonly #conceptWords: number[] = [];
  #words = 0;
  #marks = 0;

  constructor(sink: FeatureSink, isBrief: boolean) {
    this.#sink = sink;
    this.#isBrief = isBrief;
  }

  word(text: string, start: number, end: number): void {
    this.#sink.word(start, end);
    if (isDigit(text.charCodeAt(start))) {
      this.#add(ANY_NUMBER, ANY_NUMBER, 0);
      return;
    }
    const { id, stem, concept } = readWord(text, start, Math.min(end, start + MAX_WORD_CHARS));
    this.#add(id, stem, concept);
  }

  character(text: string, at: number): void {
    this.#sink.word(at, at + 1);
    const id = hashOf(KIND.word, text.charCodeAt(at));
    this.#add(id, id, conceptAt(text, at));
  }

  /** Marks are neighbours of words, and no words themselves. */
  mark(code: number): void {
    if (this.#marks === MAX_MARKS) return;
    this.#marks += 1;
    push(this.#ids, code === 10 ? LINE_BREAK : hashOf(KIND.mark, code));
  }

  #add(id: number, stem: number, concept: number): void {
    if (this.#isBrief) {
      this.#sink.feature(hashOf(KIND.word, id));
      this.#sink.feature(hashOf(KIND.stem, stem));
      if (concept !== 0) this.#sink.feature(hashOf(KIND.concept, concept));
      return;
    }
    this.#marks = 0;
    this.#words += 1;
    const sink = this.#sink;
    const [id1 = 0, id2 = 0, id3 = 0] = this.#ids;
    sink.feature(hashOf(KIND.word, id));
    sink.feature(hashOf(KIND.pair, id1, id));
    sink.feature(hashOf(KIND.skip, id2, id));
    sink.feature(hashOf(KIND.skip, id3, id));
    sink.feature(hashOf(KIND.triple, hashOf(KIND.pair, id2, id1), id));
    push(this.#ids, id);
    const [stem1 = 0, stem2 = 0, stem3 = 0] = this.#stems;
    sink.feature(hashOf(KIND.stem, stem));
    sink.feature(hashOf(KIND.stems, stem1, stem));
    sink.feature(hashOf(KIND.stemSkip, stem2, stem));
    sink.feature(hashOf(KIND.stemSkip, stem3, stem));
    push(this.#stems, stem);
    if (concept !== 0) this.#addConcept(concept);
  }

  #addConcept(concept: number): void {
    this.#sink.feature(hashOf(KIND.concept, concept));
    const latest = this.#concepts[0] ?? 0;
    for (const [index, other] of this.#concepts.entries()) {
      if (this.#words - (this.#conceptWords[index] ?? 0) > PAIRED_WORDS) break;
      this.#sink.feature(hashOf(KIND.concepts, other, concept));
      if (index > 0) this.#sink.feature(hashOf(KIND.triple, hashOf(KIND.concepts, other, latest), concept));
    }
    this.#concepts.unshift(concept);
    this.#conceptWords.unshift(this.#words);
    if (this.#concepts.length <= PAIRED_CONCEPTS) return;
    this.#concepts.pop();
    this.#conceptWords.pop();
  }
}

/** What a word gives, by itself. */
interface ReadWord {
  /** Folded. */
  readonly read: string;
  readonly id: number;
  readonly stem: number;
  readonly concept: number;
}

/** Words come again and again: each place holds the last one whose hash led there. */
const KNOWN_WORDS = 4_096;
const known: (ReadWord | undefined)[] = new Array<ReadWord | undefined>(KNOWN_WORDS);

function readWord(text: string, start: number, end: number): ReadWord {
  let hash = FNV_OFFSET;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 127) return newWord(folded(text.slice(start, end)));
    hash = mix(hash, lowerAscii(code));
  }
  const place = (hash ^ (hash >>> 13)) & (KNOWN_WORDS - 1);
  const last = known[place];
  if (last !== undefined && isSame(last.read, text, start, end)) return last;
  const word = newWord(text.slice(start, end).toLowerCase());
  known[place] = word;
  return word;
}

function newWord(read: string): ReadWord {
  const id = hashOfChars(read, read.length);
  return { read, id, stem: hashOfChars(read, STEM_CHARS) ^ STEM_SEED, concept: conceptOf(read) };
}

function isSame(read: string, text: string, start: number, end: number): boolean {
  if (read.length !== end - start) return false;
  for (let at = start; at < end; at += 1)
    if (read.charCodeAt(at - start) !== lowerAscii(text.charCodeAt(at))) return false;
  return true;
}

function lowerAscii(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}

function push(latest: number[], value: number): void {
  latest[2] = latest[1] ?? 0;
  latest[1] = latest[0] ?? 0;
  latest[0] = value;
}

function hashOfChars(text: string, chars: number): number {
  let hash = FNV_OFFSET;
  const end = Math.min(chars, text.length);
  for (let at = 0; at < end; at += 1) hash = mix(hash, text.charCodeAt(at));
  return hash ^ (hash >>> 13);
}

function hashOf(kind: number, first: number, second = 0): number {
  let hash = mix(mix(mix(FNV_OFFSET, kind), first), first >>> 15);
  hash = mix(mix(hash, second), second >>> 15);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) ^ (hash >>> 12);
}

function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value, FNV_PRIME);
}
