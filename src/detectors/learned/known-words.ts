import { hashOf, hashOfChars, KIND } from './hashes.ts';
import { conceptOf, folded } from './lexicon.ts';

/** Longer words are keys, addresses or random text, and are truncated. */
const MAX_WORD_CHARS = 24;
/** Most inflections of a word share this many characters. */
const STEM_CHARS = 5;
const STEM_SEED = 0x5bd1e995;
/** Number of hash buckets, each with two words; must be a power of two. */
const BUCKETS = 4_096;

/** Offsets of an entry's members, in 32-bit numbers. */
export const ENTRY = { length: 0, met: 1, id: 2, stem: 3, concept: 4, sum: 5, key: 6 } as const;
const ENTRY_SIZE = 18;
const BUCKET_SIZE = 2 * ENTRY_SIZE;
/** Number of code unit pairs that are compared first. */
const FIRST_PAIRS = 4;
const PAIRS = MAX_WORD_CHARS / 2;

/** For each word length, the bits of each code unit pair that belong to the word. */
const MASKS = Int32Array.from({ length: (MAX_WORD_CHARS + 1) * PAIRS }, (_, index) => {
  const units = Math.floor(index / PAIRS) - 2 * (index % PAIRS);
  if (units >= 2) return -1;
  return units === 1 ? 0xffff : 0;
});

/** Caches two words per hash bucket. Earlier texts affect only the speed, never the results. */
export class KnownWords {
  readonly entries = new Int32Array(BUCKETS * BUCKET_SIZE);
  readonly #weights: Int8Array;

  constructor(weights: Int8Array) {
    this.#weights = weights;
  }

  /**
   * Returns the offset of the word's entry in `entries`, valid until the next call.
   * @param units UTF-16LE, with room for the longest word after `end`
   */
  entryOf(units: DataView, start: number, end: number, hash: number): number {
    const first = ((hash ^ (hash >>> 13)) & (BUCKETS - 1)) * BUCKET_SIZE;
    const length = end - start < MAX_WORD_CHARS ? end - start : MAX_WORD_CHARS;
    if (this.#holds(first, units, start * 2, length)) return first;
    const second = first + ENTRY_SIZE;
    if (this.#holds(second, units, start * 2, length)) return second;
    const { entries } = this;
    const isFirstOlder = (entries[first + ENTRY.met] ?? 0) <= (entries[second + ENTRY.met] ?? 0);
    const older = isFirstOlder ? first : second;
    this.#learn(older, units, start * 2, length);
    return older;
  }

  #holds(entry: number, units: DataView, byte: number, length: number): boolean {
    const entries = this.entries;
    if (entries[entry + ENTRY.length] !== length) return false;
    const key = entry + ENTRY.key;
    const mask = length * PAIRS;
    const differs =
      ((units.getInt32(byte, true) ^ (entries[key] ?? 0)) & (MASKS[mask] ?? 0)) |
      ((units.getInt32(byte + 4, true) ^ (entries[key + 1] ?? 0)) & (MASKS[mask + 1] ?? 0)) |
      ((units.getInt32(byte + 8, true) ^ (entries[key + 2] ?? 0)) & (MASKS[mask + 2] ?? 0)) |
      ((units.getInt32(byte + 12, true) ^ (entries[key + 3] ?? 0)) & (MASKS[mask + 3] ?? 0));
    if (differs !== 0) return false;
    for (let pair = FIRST_PAIRS; pair * 2 < length; pair += 1) {
      const read = units.getInt32(byte + pair * 4, true);
      if (((read ^ (entries[key + pair] ?? 0)) & (MASKS[mask + pair] ?? 0)) !== 0) return false;
    }
    return true;
  }

  #learn(entry: number, units: DataView, byte: number, length: number): void {
    const entries = this.entries;
    for (let pair = 0; pair * 2 < length; pair += 1)
      entries[entry + ENTRY.key + pair] = units.getInt32(byte + pair * 4, true);
    let text = '';
    for (let index = 0; index < length; index += 1)
      text += String.fromCharCode(units.getUint16(byte + index * 2, true));
    const word = folded(text);
    const id = hashOfChars(word, word.length);
    const stem = hashOfChars(word, STEM_CHARS) ^ STEM_SEED;
    const concept = conceptOf(word);
    entries[entry + ENTRY.length] = length;
    entries[entry + ENTRY.met] = 0;
    entries[entry + ENTRY.id] = id;
    entries[entry + ENTRY.stem] = stem;
    entries[entry + ENTRY.concept] = concept;
    entries[entry + ENTRY.sum] = this.sumOf(id, stem, concept);
  }

  sumOf(id: number, stem: number, concept: number): number {
    const weights = this.#weights;
    const mask = weights.length - 1;
    return (
      (weights[hashOf(KIND.word, id) & mask] ?? 0) +
      (weights[hashOf(KIND.stem, stem) & mask] ?? 0) +
      (concept === 0 ? 0 : (weights[hashOf(KIND.concept, concept) & mask] ?? 0))
    );
  }
}
