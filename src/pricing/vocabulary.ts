import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runNow, type Work } from '../turns.ts';

/** Words of a byte-level tokenizer; a word's rank is its place in the order in which they were learnt. */
export interface TokenVocabulary {
  /** Rank of the word that is `bytes[from, to)`, or NO_WORD. */
  rank(bytes: Uint8Array, from: number, to: number): number;
}

export const NO_WORD = 0x7fff_ffff;

/** A power of two, and twice as many places as the largest vocabulary has words. */
const PLACES = 524_288;
const WORDS_A_STEP = 1_000;
const NEWLINE = 10;
const SPACE = 32;
const PADDING = 61;
const BASE64 = base64Digits();
/** What a packed file begins with, in the byte order of the machine; no published one has a byte 0. */
const PACKED = 0x6b30_3200;
const UINT32_BYTES = 4;

/**
 * OpenAI's `o200k_base`, from the file that is published, or from what a build has packed it to. It is kept
 * as the bytes of all words and a table of hashes, some 5 MB: as strings in a map it would take 70.
 */
export function* loadVocabulary(): Work<TokenVocabulary> {
  const file = readFileSync(fileURLToPath(import.meta.resolve('gpt-tokenizer/data/o200k_base.tiktoken')));
  return unpackVocabulary(file) ?? (yield* readVocabulary(file));
}

/** A published file as one that needs only to be looked at: a start is spared reading 200,000 lines. */
export function packVocabulary(file: Uint8Array): Uint8Array {
  const { words, ends, places } = runNow(readWordLines(file));
  const head = Uint32Array.of(PACKED, ends.length);
  return Buffer.concat([head, ends, places].map(bytesOf).concat(words));
}

/** Of what `packVocabulary` has made; undefined for any other file. */
export function unpackVocabulary(file: Uint8Array): TokenVocabulary | undefined {
  const { buffer } = new Uint8Array(file); // a copy is aligned
  const [kind, endCount = 0] = new Uint32Array(buffer, 0, 2);
  if (kind !== PACKED) return undefined;
  const ends = new Uint32Array(buffer, 2 * UINT32_BYTES, endCount);
  const places = new Uint32Array(buffer, ends.byteOffset + ends.byteLength, PLACES);
  const words = new Uint8Array(buffer, places.byteOffset + places.byteLength);
  return new PackedVocabulary({ words, ends, places });
}

const bytesOf = ({ buffer }: Uint32Array): Uint8Array => new Uint8Array(buffer);

/**
 * From a published file, a line a word: its bytes in base64, and its rank.
 * @throws RangeError where there are more words than places
 */
export function* readVocabulary(file: Uint8Array): Work<TokenVocabulary> {
  return new PackedVocabulary(yield* readWordLines(file));
}

interface Tables {
  /** The bytes of all words, by rank. */
  readonly words: Uint8Array;
  /** Where the word with this rank ends, from 1; it begins where the one before ends. */
  readonly ends: Uint32Array;
  /** By hash: rank + 1, or 0. */
  readonly places: Uint32Array;
}

function* readWordLines(file: Uint8Array): Work<Tables> {
  const words = new Uint8Array(Math.ceil((file.length * 3) / 4));
  const ends = new Uint32Array(PLACES / 2 + 1);
  const places = new Uint32Array(PLACES);
  let size = 0;
  let rank = 0;
  for (let at = 0; at < file.length; at++) {
    const begin = size;
    let bits = 0;
    let bitCount = 0;
    for (let code = file[at]; code !== undefined && code !== SPACE && code !== PADDING; code = file[++at]) {
      bits = ((bits << 6) | (BASE64[code] ?? 0)) & 0xffff;
      bitCount += 6;
      if (bitCount < 8) continue;
      bitCount -= 8;
      words[size++] = bits >>> bitCount;
    }
    while (at < file.length && file[at] !== NEWLINE) at++;
    if (++rank > PLACES / 2) throw new RangeError('the vocabulary has more words than there are places for');
    ends[rank] = size;
    let place = hash(words, begin, size);
    while (places[place] !== 0) place = (place + 1) % PLACES;
    places[place] = rank;
    if (rank % WORDS_A_STEP === 0) yield;
  }
  return { words: words.slice(0, size), ends: ends.slice(0, rank + 1), places };
}

class PackedVocabulary implements TokenVocabulary {
  readonly #words: Uint8Array;
  readonly #ends: Uint32Array;
  readonly #places: Uint32Array;

  constructor({ words, ends, places }: Tables) {
    this.#words = words;
    this.#ends = ends;
    this.#places = places;
  }

  rank(bytes: Uint8Array, from: number, to: number): number {
    for (let place = hash(bytes, from, to); ; place = (place + 1) % PLACES) {
      const found = this.#places[place] ?? 0;
      if (found === 0) return NO_WORD;
      if (this.#is(found, bytes, from, to)) return found - 1;
    }
  }

  #is(found: number, bytes: Uint8Array, from: number, to: number): boolean {
    const begin = this.#ends[found - 1] ?? 0;
    if ((this.#ends[found] ?? 0) - begin !== to - from) return false;
    for (let at = from; at < to; at++) {
      if (bytes[at] !== this.#words[begin + at - from]) return false;
    }
    return true;
  }
}

/** FNV-1a, of which the upper bits are folded in. */
function hash(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0x811c_9dc5;
  for (let at = from; at < to; at++) sum = Math.imul(sum ^ (bytes[at] ?? 0), 0x0100_0193);
  return (sum ^ (sum >>> 15)) & (PLACES - 1);
}

function base64Digits(): Uint8Array {
  const digits = new Uint8Array(256);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  for (let value = 0; value < alphabet.length; value++) digits[alphabet.charCodeAt(value)] = value;
  return digits;
}
