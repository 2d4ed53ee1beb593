import { grown } from '../../text/grown.ts';

/** Initial capacity for words; a text of 16 Ki characters may have as many. */
export const FIRST_WORDS = 512;

/** Distinct words by hash, in order of first occurrence. */
export class WordTable {
  count = 0;
  highs = new Int32Array(FIRST_WORDS);
  lows = new Int32Array(FIRST_WORDS);
  /**
   * For each word's slot its index plus `#base` plus 1; values up to `#base` are from before the last
   * clearing.
   */
  #slots = new Int32Array(2 * FIRST_WORDS);
  #base = 0;

  clear(): void {
    this.#base += this.count;
    this.count = 0;
    if (this.#base < 2 ** 30) return;
    this.#base = 0;
    this.#slots.fill(0);
  }

  has(high: number, low: number): boolean {
    return (this.#slots[this.#slotOf(high, low)] ?? 0) > this.#base;
  }

  /** Returns a word's index. A new word is added, and its index is the previous `count`. */
  add(high: number, low: number): number {
    let slot = this.#slotOf(high, low);
    const known = (this.#slots[slot] ?? 0) - this.#base;
    if (known > 0) return known - 1;
    if (this.count === this.highs.length) {
      this.#grow();
      slot = this.#slotOf(high, low);
    }
    this.highs[this.count] = high;
    this.lows[this.count] = low;
    this.count += 1;
    this.#slots[slot] = this.#base + this.count;
    return this.count - 1;
  }

  /** Returns the slot of a word, or the free slot for it. */
  #slotOf(high: number, low: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    let slot = (high ^ (high >>> 15) ^ low) & last;
    for (;;) {
      const index = (slots[slot] ?? 0) - this.#base - 1;
      if (index < 0 || (this.highs[index] === high && this.lows[index] === low)) return slot;
      slot = (slot + 1) & last;
    }
  }

  #grow(): void {
    this.highs = grown(this.highs);
    this.lows = grown(this.lows);
    this.#slots = new Int32Array(2 * this.highs.length);
    this.#base = 0;
    for (let index = 0; index < this.count; index++) {
      this.#slots[this.#slotOf(this.highs[index] ?? 0, this.lows[index] ?? 0)] = index + 1;
    }
  }
}
