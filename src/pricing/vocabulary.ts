import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Words of a byte-level tokenizer. A word's rank is its position in training order. */
export interface TokenVocabulary {
  /** Returns the rank of the word `bytes[from, to)`, or NO_WORD. */
  rank(bytes: Uint8Array, from: number, to: number): number;
}

export const NO_WORD = 0x7fff_ffff;

/** Number of buckets, a power of two. Buckets rarely have more than four words. */
const BUCKETS = 131_072;
/** Number of bytes before each word: its length, and its rank in three bytes (little-endian). */
const WORD_HEAD = 4;
const MAX_WORD_BYTES = 255;
/** Magic number of packed files, in native byte order. Published files contain no zero byte. */
const PACKED = 0x6b30_3300;
const UINT32_BYTES = 4;

/**
 * Loads OpenAI's `o200k_base` from the published file, or from the packed file of a build. The word bytes, sorted by
 * hash, take about 3 MB; strings in a map would take 70 MB.
 */
export function loadVocabulary(): TokenVocabulary {
  const file = readFileSync(fileURLToPath(import.meta.resolve('gpt-tokenizer/data/o200k_base.tiktoken')));
  return unpackVocabulary(file) ?? readVocabulary(file);
}

/** Converts a published file to the packed form, which avoids parsing 200,000 lines at start. */
export function packVocabulary(file: Uint8Array): Uint8Array {
  const { words, starts } = hashWords(file);
  return Buffer.concat([bytesOf(Uint32Array.of(PACKED)), bytesOf(starts), words]);
}

export function unpackVocabulary(file: Uint8Array): TokenVocabulary | undefined {
  const isAligned = file.byteOffset % UINT32_BYTES === 0;
  const { buffer, byteOffset, byteLength } = isAligned ? file : new Uint8Array(file);
  if (new Uint32Array(buffer, byteOffset, 1)[0] !== PACKED) return undefined;
  const starts = new Uint32Array(buffer, byteOffset + UINT32_BYTES, BUCKETS + 1);
  const head = UINT32_BYTES + starts.byteLength;
  return new PackedVocabulary({
    starts,
    words: new Uint8Array(buffer, byteOffset + head, byteLength - head),
  });
}

const bytesOf = ({ buffer }: Uint32Array): Uint8Array => new Uint8Array(buffer);

/** Parses a published file, which has one Base64 word per line. Throws RangeError if a word is too long. */
export function readVocabulary(file: Uint8Array): TokenVocabulary {
  return new PackedVocabulary(hashWords(file));
}

interface Tables {
  /** Heads and bytes of all words, by bucket and then by rank. */
  readonly words: Uint8Array;
  /** Start of each bucket by hash, followed by the end of the last one. */
  readonly starts: Uint32Array;
}

function hashWords(file: Uint8Array): Tables {
  const lines = Buffer.from(file).toString('latin1').trimEnd().split('\n');
  const words = lines.map((line) => Buffer.from(line.slice(0, line.indexOf(' ')), 'base64'));
  const starts = new Uint32Array(BUCKETS + 1);
  const buckets = words.map((word) => {
    if (word.length > MAX_WORD_BYTES) throw new RangeError('a word of the vocabulary is too long');
    const bucket = hash(word, 0, word.length);
    starts[bucket + 1] = (starts[bucket + 1] ?? 0) + WORD_HEAD + word.length;
    return bucket;
  });
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    starts[bucket + 1] = (starts[bucket + 1] ?? 0) + (starts[bucket] ?? 0);
  }
  const packed = new Uint8Array(starts[BUCKETS] ?? 0);
  const next = starts.slice();
  for (const [rank, word] of words.entries()) {
    const bucket = buckets[rank] ?? 0;
    const at = next[bucket] ?? 0;
    packed.set([word.length, rank & 0xff, (rank >> 8) & 0xff, rank >> 16], at);
    packed.set(word, at + WORD_HEAD);
    next[bucket] = at + WORD_HEAD + word.length;
  }
  return { words: packed, starts };
}

class PackedVocabulary implements TokenVocabulary {
  readonly #words: Uint8Array;
  readonly #starts: Uint32Array;

  constructor({ words, starts }: Tables) {
    this.#words = words;
    this.#starts = starts;
  }

  rank(bytes: Uint8Array, from: number, to: number): number {
    const words = this.#words;
    const length = to - from;
    const bucket = hash(bytes, from, to);
    const end = this.#starts[bucket + 1] ?? 0;
    for (let at = this.#starts[bucket] ?? 0; at < end; at += WORD_HEAD + (words[at] ?? 0)) {
      if (words[at] === length && this.#is(at + WORD_HEAD, bytes, from, to))
        return (words[at + 1] ?? 0) | ((words[at + 2] ?? 0) << 8) | ((words[at + 3] ?? 0) << 16);
    }
    return NO_WORD;
  }

  #is(word: number, bytes: Uint8Array, from: number, to: number): boolean {
    for (let at = from; at < to; at++) if (bytes[at] !== this.#words[word + at - from]) return false;
    return true;
  }
}

/** FNV-1a, with the upper bits folded in. */
function hash(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0x811c_9dc5;
  for (let at = from; at < to; at++) sum = Math.imul(sum ^ (bytes[at] ?? 0), 0x0100_0193);
  return (sum ^ (sum >>> 15)) & (BUCKETS - 1);
}
