import { readFeature, type HashState } from '../../text/simhash.ts';
import { grown } from '../../text/grown.ts';

// Word kinds by information content: lowest for filler; highest for names, paths, numbers and quoted words.
export const FILLER = 0;
export const PLAIN = 1;
export const NAME = 2;
export type WordKind = typeof FILLER | typeof PLAIN | typeof NAME;

const FILLERS: ReadonlySet<string> = new Set(
  `a an the this that these those it its he she they them their there here i me my mine you your yours we us our
  is are was were be been being am do does did doing done have has had having will would shall should can could may
  might must of in on at to from by for with about into onto over under as and or but if then than so because while
  when where which who whom whose what how why also too very just really quite only even still yet already now
  please kindly thanks thank hello hi hey dear sir madam good morning afternoon evening day cheers regards sorry
  ok okay yes yeah yep sure right well alright fine great perfect continue proceed next more again go going keep on
  let lets us want need like could would able ask asked asking help once`.split(/\s+/),
);

export function isFiller(word: string): boolean {
  return FILLERS.has(word);
}

const INITIAL_CAPACITY = 512;

/** Distinct words of a step's part in order of first occurrence, as hashes seeded with the part's name. */
export class WordList {
  /** Hash state after the part's name, from which each word's hash starts. */
  readonly seed: HashState;
  readonly #words = new WordTable();
  readonly #fillers = new WordTable();
  #kinds = new Uint8Array(INITIAL_CAPACITY);
  contentWords = 0;

  constructor(name: string) {
    this.seed = readFeature(`${name} `);
    for (const word of FILLERS) {
      const { high, low } = readFeature(word, this.seed);
      this.#fillers.add(high, low);
    }
  }

  get count(): number {
    return this.#words.count;
  }

  clear(): void {
    this.#words.clear();
    this.contentWords = 0;
  }

  /** Adds a word. With `raises`, `kind` replaces a known word's kind. Without a kind, the word may be filler. */
  add(high: number, low: number, kind: WordKind | undefined, raises: boolean): void {
    const { count } = this.#words;
    const index = this.#words.add(high, low);
    if (index === count) {
      const ownKind = kind ?? (this.#fillers.has(high, low) ? FILLER : PLAIN);
      if (ownKind !== FILLER) this.contentWords += 1;
      if (index === this.#kinds.length) this.#kinds = grown(this.#kinds);
      this.#kinds[index] = ownKind;
    } else if (raises && kind !== undefined) {
      if (this.#kinds[index] === FILLER) this.contentWords += 1;
      this.#kinds[index] = kind;
    }
  }

  addWhole(word: string, kind: WordKind | undefined = PLAIN, raises = false): void {
    const { high, low } = readFeature(word, this.seed);
    this.add(high, low, kind, raises);
  }

  kindAt(index: number): number {
    return this.#kinds[index] ?? PLAIN;
  }

  highOf(index: number): number {
    return this.#words.highs[index] ?? 0;
  }

  lowOf(index: number): number {
    return this.#words.lows[index] ?? 0;
  }
}

class WordTable {
  count = 0;
  highs = new Int32Array(INITIAL_CAPACITY);
  lows = new Int32Array(INITIAL_CAPACITY);
  /** A word's index plus `#base` plus 1, by slot. Values up to `#base` are from before the last `clear`. */
  #slots = new Int32Array(2 * INITIAL_CAPACITY);
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

  /** Returns a word's index. For a new word, this is `count` before the call. */
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
