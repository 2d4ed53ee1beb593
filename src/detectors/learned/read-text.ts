import type { Span } from '../../text/span.ts';
import type { FeatureSink } from './features.ts';

const FIRST_WORDS = 1_024;
const FIRST_FEATURES = 16_384;
/** Far below what an Int32Array holds, with room for the longest text. */
const MAX_CLOCK = 1 << 30;

/** When the feature of each weight was last met, on a clock that goes on from text to text. */
let met = new Int32Array(0);
let clock = 1;

/**
 * Words and features of one text. What a table or a list repeats says no more than the first time, so each stretch of the
 * text counts a feature once: `#before` knows where the feature stood last.
 */
export class ReadText implements FeatureSink {
  #weights: Int8Array = new Int8Array(0);
  #starts = new Int32Array(FIRST_WORDS);
  #ends = new Int32Array(FIRST_WORDS);
  /** Where the features of each word begin. */
  #firsts = new Int32Array(FIRST_WORDS);
  #words = 0;
  #values = new Int8Array(FIRST_FEATURES);
  /** Index of the feature of the same weight before this one; negative where this is the first. */
  #before = new Int32Array(FIRST_FEATURES);
  #features = 0;
  #begun = 0;

  /** Forgets the text before; the features of another one may not come in between. */
  begin({ weights }: { readonly weights: Int8Array }): void {
    if (met.length !== weights.length || clock > MAX_CLOCK) {
      met = new Int32Array(weights.length);
      clock = 1;
    }
    this.#begun = clock;
    this.#weights = weights;
    this.#words = 0;
    this.#features = 0;
  }

  get words(): number {
    return this.#words;
  }

  word(start: number, end: number): void {
    if (this.#words === this.#starts.length) {
      this.#starts = grown(this.#starts);
      this.#ends = grown(this.#ends);
      this.#firsts = grown(this.#firsts);
    }
    this.#starts[this.#words] = start;
    this.#ends[this.#words] = end;
    this.#firsts[this.#words] = this.#features;
    this.#words += 1;
  }

  feature(hash: number): void {
    const index = this.#features;
    if (index === this.#before.length) {
      this.#before = grown(this.#before);
      const values = new Int8Array(this.#before.length);
      values.set(this.#values);
      this.#values = values;
    }
    const place = hash & (this.#weights.length - 1);
    this.#values[index] = this.#weights[place] ?? 0;
    this.#before[index] = (met[place] ?? 0) - this.#begun;
    met[place] = clock;
    clock += 1;
    this.#features = index + 1;
  }

  /** Adds up the weights of the features of a stretch of words, each once, in units of the model's scale. */
  sumOfDistinct({ start, end }: Span): number {
    const from = this.#firsts[start] ?? 0;
    const to = end < this.#words ? (this.#firsts[end] ?? 0) : this.#features;
    const before = this.#before;
    const values = this.#values;
    let sum = 0;
    let count = 0;
    for (let index = from; index < to; index += 1) {
      if ((before[index] ?? 0) >= from) continue;
      sum += values[index] ?? 0;
      count += 1;
    }
    return sum / Math.sqrt(Math.max(1, count));
  }

  /** Turns words into UTF-16 units. */
  spanOf({ start, end }: Span): Span {
    return { start: this.#starts[start] ?? 0, end: this.#ends[end - 1] ?? 0 };
  }
}

function grown(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
