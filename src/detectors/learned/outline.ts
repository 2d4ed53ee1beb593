import type { Span } from '../../text/span.ts';
import { FNV_OFFSET, hashOf, KIND, mix } from './hashes.ts';
import { ENTRY, KnownWords } from './known-words.ts';
import { conceptAt, isDigit, isOfWord, standsAlone } from './lexicon.ts';

const FIRST_UNITS = 4_096;
/** Number of code units after a text that may be read with its last word. */
const SPARE_UNITS = 32;
/** Limit for marks between two words; more add no information. */
const MAX_MARKS = 3;
/** Number of words, marks and stems used before a word. As many empty ones precede the first word. */
export const NEIGHBOURS = 3;
const ANY_NUMBER = 7;
const LINE_BREAK = 11;
/** Far below the `Int32Array` maximum, with room for the longest text. */
const MAX_CLOCK = 1 << 30;
/** A repeated word counts only after this many other words. */
const REPEAT_WORDS = 20;

/** Words of a text, with hashes, concepts and weights. Reused, so that reading a text allocates no objects. */
export class Outline {
  #units = new Uint16Array(0);
  #bytes = Buffer.alloc(0);
  #view = new DataView(new ArrayBuffer(0));
  /** Start of each word in UTF-16 code units. */
  #starts = new Int32Array(0);
  /** Ids of words and marks, in order. */
  tokens = new Int32Array(0);
  /** Index of each word in `tokens`. */
  tokenOf = new Int32Array(0);
  stems = new Int32Array(0);
  concepts = new Uint8Array(0);
  /** Sum of the word weights before each word, without repetitions. */
  #sumBefore = new Int32Array(0);
  words = 0;
  #clock = REPEAT_WORDS;
  #known = new KnownWords(new Int8Array(1));
  #weights: Int8Array | undefined;

  read(text: string, weights: Int8Array): void {
    if (text.length + SPARE_UNITS > this.#units.length) this.#grow(text.length + SPARE_UNITS);
    if (weights !== this.#weights || this.#clock > MAX_CLOCK) {
      this.#known = new KnownWords(weights);
      this.#weights = weights;
      this.#clock = REPEAT_WORDS;
    }
    this.#bytes.write(text, 'utf16le');
    this.#units[text.length] = 0;
    this.#readUnits(text);
    this.#clock += this.words + REPEAT_WORDS;
  }

  /** Returns the sum of the word weights from `start` to `end`, divided by the square root of the word count. */
  sumOfWords(start: number, end: number): number {
    return (
      ((this.#sumBefore[end] ?? 0) - (this.#sumBefore[start] ?? 0)) / Math.sqrt(Math.max(1, end - start))
    );
  }

  /** Converts word offsets to UTF-16 offsets. */
  spanOf({ start, end }: Span): Span {
    const last = this.#starts[end - 1] ?? 0;
    let behind = last + 1;
    if (((UNIT_KINDS[this.#units[last] ?? 0] ?? 0) & OF_WORD) !== 0)
      while (((UNIT_KINDS[this.#units[behind] ?? 0] ?? 0) & OF_WORD) !== 0) behind += 1;
    return { start: this.#starts[start] ?? 0, end: behind };
  }

  #readUnits(text: string): void {
    const units = this.#units;
    const known = this.#known;
    const entries = known.entries;
    const tokens = this.tokens;
    const clock = this.#clock;
    let token = NEIGHBOURS;
    let marks = 0;
    let word = 0;
    let total = 0;
    for (let at = 0; at < text.length;) {
      const start = at;
      let kind = UNIT_KINDS[units[at] ?? 0] ?? 0;
      at += 1;
      if ((kind & ~UNIT.mark) === 0) {
        if (kind === 0 || marks === MAX_MARKS) continue;
        marks += 1;
        const code = units[start] ?? 0;
        tokens[token] = code === 10 ? LINE_BREAK : hashOf(KIND.mark, code);
        token += 1;
        continue;
      }
      let id = ANY_NUMBER;
      let stem = id;
      let concept = 0;
      if (kind === UNIT.alone) {
        id = stem = hashOf(KIND.word, units[start] ?? 0);
        concept = conceptAt(text, start);
        total += known.sumOf(id, stem, concept);
      } else {
        const first = kind;
        let hash = mix(FNV_OFFSET, units[start] ?? 0);
        for (
          kind = UNIT_KINDS[units[at] ?? 0] ?? 0;
          (kind & OF_WORD) !== 0;
          kind = UNIT_KINDS[units[at] ?? 0] ?? 0
        ) {
          hash = mix(hash, units[at] ?? 0);
          at += 1;
        }
        if (first === UNIT.digit) total += known.sumOf(id, stem, concept);
        else {
          const entry = known.entryOf(this.#view, start, at, hash);
          id = entries[entry + ENTRY.id] ?? 0;
          stem = entries[entry + ENTRY.stem] ?? 0;
          concept = entries[entry + ENTRY.concept] ?? 0;
          const now = clock + word;
          if (now - (entries[entry + ENTRY.met] ?? 0) >= REPEAT_WORDS)
            total += entries[entry + ENTRY.sum] ?? 0;
          entries[entry + ENTRY.met] = now;
        }
      }
      this.#starts[word] = start;
      this.tokenOf[word] = token;
      tokens[token] = id;
      this.stems[word + NEIGHBOURS] = stem;
      this.concepts[word] = concept;
      word += 1;
      this.#sumBefore[word] = total;
      token += 1;
      marks = 0;
    }
    this.words = word;
  }

  #grow(units: number): void {
    const size = Math.max(FIRST_UNITS, 2 ** Math.ceil(Math.log2(units)));
    this.#units = new Uint16Array(size);
    this.#bytes = Buffer.from(this.#units.buffer);
    this.#view = new DataView(this.#units.buffer);
    this.#starts = new Int32Array(size);
    this.tokens = new Int32Array(size);
    this.tokenOf = new Int32Array(size);
    this.stems = new Int32Array(size);
    this.concepts = new Uint8Array(size);
    this.#sumBefore = new Int32Array(size);
  }
}

/** Kinds of UTF-16 code units, as bits. All others separate words. */
const UNIT = { mark: 1, alone: 2, letter: 4, digit: 8 } as const;
const OF_WORD = UNIT.letter | UNIT.digit;

const UNIT_KINDS = Uint8Array.from({ length: 1 << 16 }, (_, code) => kindOf(code));

function kindOf(code: number): number {
  if (isDigit(code)) return UNIT.digit;
  if (isOfWord(code)) return UNIT.letter;
  if (standsAlone(code)) return UNIT.alone;
  return code > 32 || code === 10 ? UNIT.mark : 0;
}
