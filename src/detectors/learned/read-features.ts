import type { Span } from '../../text/span.ts';
import { MAX_FEATURES, writeFeatures } from './features.ts';
import type { Outline } from './outline.ts';

const FIRST_WORDS = 256;
/** Far below the `Int32Array` maximum, with room for the longest text. */
const MAX_CLOCK = 1 << 30;
/** Size of the table of recent features, in hash bits: several times the features of the longest window. */
const RECENT_BITS = 13;

/**
 * Features of a range of words. Each window counts a feature once, because tables and lists repeat words. Features that
 * no window repeats (most) are summed when read; the others are stored individually.
 */
export class ReadFeatures {
  readonly #maxWords: number;
  /** Feature hashes, each followed by the clock of its last occurrence. The clock counts the words of all texts. */
  readonly #recent = new Int32Array(2 << RECENT_BITS);
  #clock = 1;
  readonly #hashes = new Int32Array(MAX_FEATURES);
  /** Sum and number of the features before each word that no window repeats. */
  #sums = new Int32Array(0);
  #counts = new Int32Array(0);
  /** Features that a window may repeat: weight, word of the previous occurrence, and number before each word. */
  #repeated = new Int8Array(0);
  #before = new Int32Array(0);
  #repeatedBefore = new Int32Array(0);
  #start = 0;

  constructor(maxWords: number) {
    this.#maxWords = maxWords;
  }

  read(outline: Outline, { start, end }: Span, weights: Int8Array): void {
    const words = end - start;
    if (words >= this.#sums.length) this.#grow(words + 1);
    this.#start = start;
    const recent = this.#recent;
    const hashes = this.#hashes;
    const clock = this.#clock;
    const mask = weights.length - 1;
    let sum = 0;
    let count = 0;
    let repeated = 0;
    for (let word = 0; word < words; word += 1) {
      const features = writeFeatures(outline, start + word, hashes);
      for (let index = 0; index < features; index += 1) {
        const hash = hashes[index] ?? 0;
        const weight = weights[hash & mask] ?? 0;
        const slot = (hash >>> (32 - RECENT_BITS)) << 1;
        const before = recent[slot] === hash ? (recent[slot + 1] ?? 0) - clock : -1;
        recent[slot] = hash;
        recent[slot + 1] = clock + word;
        if (before < 0 || before <= word - this.#maxWords) {
          sum += weight;
          count += 1;
        } else if (before < word) {
          this.#repeated[repeated] = weight;
          this.#before[repeated] = before;
          repeated += 1;
        }
      }
      this.#sums[word + 1] = sum;
      this.#counts[word + 1] = count;
      this.#repeatedBefore[word + 1] = repeated;
    }
    this.#clock = clock + words > MAX_CLOCK ? this.#restart() : clock + words;
  }

  /** Returns the sum of a window's distinct weights, divided by the square root of their count. Offsets in words. */
  sumOfDistinct(first: number, behind: number): number {
    const start = first - this.#start;
    const end = behind - this.#start;
    let sum = (this.#sums[end] ?? 0) - (this.#sums[start] ?? 0);
    let count = (this.#counts[end] ?? 0) - (this.#counts[start] ?? 0);
    const last = this.#repeatedBefore[end] ?? 0;
    for (let index = this.#repeatedBefore[start] ?? 0; index < last; index += 1) {
      if ((this.#before[index] ?? 0) >= start) continue;
      sum += this.#repeated[index] ?? 0;
      count += 1;
    }
    return sum / Math.sqrt(Math.max(1, count));
  }

  #restart(): number {
    this.#recent.fill(0);
    return 1;
  }

  #grow(words: number): void {
    const size = Math.max(FIRST_WORDS, 2 ** Math.ceil(Math.log2(words)));
    this.#sums = new Int32Array(size);
    this.#counts = new Int32Array(size);
    this.#repeatedBefore = new Int32Array(size);
    this.#repeated = new Int8Array(size * MAX_FEATURES);
    this.#before = new Int32Array(size * MAX_FEATURES);
  }
}
