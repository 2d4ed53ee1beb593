import { HIGH_PRIME, LOW_PRIME, LOW_SHIFT, readFeature, type HashState } from '../../text/simhash.ts';
import { FIRST_WORDS, twice, WordTable } from './word-table.ts';

/** How much a word says: filler hardly anything, names, paths, numbers and what stands in quotes the most. */
export const FILLER = 0;
export const PLAIN = 1;
export const NAME = 2;
export type WordKind = typeof FILLER | typeof PLAIN | typeof NAME;

/** Words that hold a sentence together, or a conversation, in English. */
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

export type Changing<State> = { -readonly [Member in keyof State]: State[Member] };

/** Room for the units of words at first. */
const FIRST_UNITS = 4_096;
const SPACE = 0x20;
const LETTER_A = 0x41;
const LETTER_Z = 0x5a;
export const TO_LOWER = 0x20;

/**
 * The words of a part of a step, once each however often they stand there, in the order in which they first do. They are
 * kept as hashes of features, which begin with the part's name, and as units, of which hashes of pairs are made.
 */
export class WordList {
  /** Where the hash of each word begins: behind the part's name. */
  readonly seed: HashState;
  readonly #words = new WordTable();
  readonly #fillers = new WordTable();
  /** `WordKind` of each. */
  #kinds = new Uint8Array(FIRST_WORDS);
  /** Lower-case units of all words, one behind the other, and where each ends. */
  #units = new Uint16Array(FIRST_UNITS);
  #ends = new Int32Array(FIRST_WORDS);
  #end = 0;
  /** Words that tell what the text is about: all but fillers. */
  telling = 0;

  constructor(name: string) {
    this.seed = readFeature(`${name} `);
    for (const word of FILLERS) this.#fillers.add(readFeature(word, this.seed));
  }

  get count(): number {
    return this.#words.count;
  }

  clear(): void {
    this.#words.clear();
    this.#end = 0;
    this.telling = 0;
  }

  /**
   * Adds the word of a hash, or raises one that is there.
   * @param kind undefined for a word that may be filler
   * @returns whether it is new: then its units are to be added next
   */
  add(hash: HashState, kind: WordKind | undefined, raises: boolean): boolean {
    const { count } = this.#words;
    const index = this.#words.add(hash);
    if (index === count) {
      const its = kind ?? (this.#fillers.has(hash) ? FILLER : PLAIN);
      if (its !== FILLER) this.telling += 1;
      if (index === this.#kinds.length) this.#grow();
      this.#kinds[index] = its;
      return true;
    }
    if (raises && kind !== undefined) {
      if (this.#kinds[index] === FILLER) this.telling += 1;
      this.#kinds[index] = kind;
    }
    return false;
  }

  /** The units of the word that was added, letters of ASCII in lower case where they are not to stay. */
  addUnits(text: string, from: number, to: number, stay: boolean): void {
    while (this.#end + to - from > this.#units.length)
      this.#units = twice(this.#units, new Uint16Array(2 * this.#units.length));
    const units = this.#units;
    for (let at = from; at < to; at++) {
      const unit = text.charCodeAt(at);
      units[this.#end++] = !stay && unit >= LETTER_A && unit <= LETTER_Z ? unit + TO_LOWER : unit;
    }
    this.#ends[this.count - 1] = this.#end;
  }

  /** Adds a word as it stands. */
  addWhole(word: string, kind: WordKind | undefined = PLAIN, raises = false): void {
    if (this.add(readFeature(word, this.seed), kind, raises)) this.addUnits(word, 0, word.length, true);
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

  /** Sets a state to what is read of a word and a space behind it. */
  readWithSpace(index: number, state: Changing<HashState>): void {
    state.high = Math.imul(this.highOf(index) ^ SPACE, HIGH_PRIME);
    const low = Math.imul(this.lowOf(index) ^ SPACE, LOW_PRIME);
    state.low = low ^ (low >>> LOW_SHIFT);
  }

  /** Reads a word on from a state, which it changes: millions of them need none of their own. */
  readOn(index: number, state: Changing<HashState>): void {
    let { high, low } = state;
    const units = this.#units;
    const end = this.#ends[index] ?? 0;
    for (let at = index === 0 ? 0 : (this.#ends[index - 1] ?? 0); at < end; at++) {
      const unit = units[at] ?? 0;
      high = Math.imul(high ^ unit, HIGH_PRIME);
      low = Math.imul(low ^ unit, LOW_PRIME);
      low ^= low >>> LOW_SHIFT;
    }
    state.high = high;
    state.low = low;
  }

  #grow(): void {
    this.#kinds = twice(this.#kinds, new Uint8Array(2 * this.#kinds.length));
    this.#ends = twice(this.#ends, new Int32Array(2 * this.#ends.length));
  }
}
