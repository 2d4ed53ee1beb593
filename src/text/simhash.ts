/** A 64-bit SimHash (Charikar). Similar texts share more bits. Stored in halves, because bigints are slow. */
export interface SimHash {
  readonly high: number;
  readonly low: number;
}

export const SIMHASH_BITS = 64;

/** A weighted sum of features, one number per bit. */
export type SimHashSums = Float64Array;

export function createSimHashSums(): SimHashSums {
  return new Float64Array(SIMHASH_BITS);
}

/** Adds a feature. Each bit of its hash votes for 1 or 0, with `weight`. */
export function addFeature(sums: SimHashSums, { high, low }: SimHash, weight: number): void {
  // Branches on random hash bits would be mispredicted.
  for (let bit = 0; bit < 32; bit++) {
    sums[bit] = (sums[bit] ?? 0) + (((low >>> bit) & 1) * 2 - 1) * weight;
    sums[bit + 32] = (sums[bit + 32] ?? 0) + (((high >>> bit) & 1) * 2 - 1) * weight;
  }
}

export function addSums(into: SimHashSums, part: SimHashSums, factor: number): void {
  for (let bit = 0; bit < SIMHASH_BITS; bit++) into[bit] = (into[bit] ?? 0) + factor * (part[bit] ?? 0);
}

export function toSimHash(sums: SimHashSums): SimHash {
  let high = 0;
  let low = 0;
  for (let bit = 0; bit < 32; bit++) {
    if ((sums[bit] ?? 0) > 0) low |= 1 << bit;
    if ((sums[bit + 32] ?? 0) > 0) high |= 1 << bit;
  }
  return { high: high >>> 0, low: low >>> 0 };
}

/** Hash state in two 32-bit numbers, finalized by `mixedHigh` and `mixedLow`. */
export interface HashState {
  readonly high: number;
  readonly low: number;
}

const NOTHING_READ: HashState = { high: 0x9e3779b9 | 0, low: 0x85ebca6b | 0 };
/** A code unit changes `high` to `imul(high ^ unit, HIGH_PRIME)`, and `low` likewise, followed by an xorshift. */
export const HIGH_PRIME = 0x01000193;
export const LOW_PRIME = 0x5bd1e995;
export const LOW_SHIFT = 15;

export function readFeature(text: string, { high, low }: HashState = NOTHING_READ): HashState {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, HIGH_PRIME);
    low = Math.imul(low ^ unit, LOW_PRIME);
    low ^= low >>> LOW_SHIFT;
  }
  return { high, low };
}

/** Returns 64 well-mixed bits. Not collision-resistant. */
export function hashFeature(text: string): SimHash {
  const { high, low } = readFeature(text);
  return { high: mixedHigh(high, low) >>> 0, low: mixedLow(high, low) >>> 0 };
}

/** Returns the high half of a finalized hash. Signed, because larger numbers would be allocated on the heap. */
export function mixedHigh(high: number, low: number): number {
  return mix(high ^ low);
}

export function mixedLow(high: number, low: number): number {
  return mix(low + Math.imul(high, 0x27d4eb2f));
}

/** MurmurHash3's finalizer: every input bit flips about half of the output bits. */
function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

export function hammingDistance(one: SimHash, other: SimHash): number {
  return countBits(one.high ^ other.high) + countBits(one.low ^ other.low);
}

function countBits(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export function formatSimHash({ high, low }: SimHash): string {
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

export function parseSimHash(hex: string): SimHash {
  return { high: parseInt(hex.slice(0, 8), 16), low: parseInt(hex.slice(8), 16) };
}

/** A bit gets fewer than 2^30 votes. */
const PLANES = 30;

/** Counts features per bit, plane by plane with carry, which is six times faster than one counter per bit. */
export class Votes {
  /** Each plane holds one binary digit of all counts. */
  readonly #high = new Int32Array(PLANES);
  readonly #low = new Int32Array(PLANES);
  #planes = 0;
  #total = 0;

  /** Adds a feature with a weight of 2^`power`. Allocates nothing. */
  add(high: number, low: number, power: number): void {
    const highs = this.#high;
    const lows = this.#low;
    let carriedHigh = high | 0;
    let carriedLow = low | 0;
    let plane = power;
    for (; (carriedHigh | carriedLow) !== 0; plane++) {
      const planeHigh = highs[plane] ?? 0;
      const planeLow = lows[plane] ?? 0;
      highs[plane] = planeHigh ^ carriedHigh;
      lows[plane] = planeLow ^ carriedLow;
      carriedHigh &= planeHigh;
      carriedLow &= planeLow;
    }
    if (plane > this.#planes) this.#planes = plane;
    this.#total += 1 << power;
  }

  /** Adds `unit` to the sums for each vote for 1, subtracts it for each vote for 0, and resets the votes. */
  moveTo(sums: SimHashSums, unit: number): void {
    if (this.#total === 0) return;
    for (let bit = 0; bit < 32; bit++) {
      let forHigh = 0;
      let forLow = 0;
      for (let plane = 0; plane < this.#planes; plane++) {
        forHigh += (((this.#high[plane] ?? 0) >>> bit) & 1) << plane;
        forLow += (((this.#low[plane] ?? 0) >>> bit) & 1) << plane;
      }
      sums[bit] = (sums[bit] ?? 0) + unit * (2 * forLow - this.#total);
      sums[bit + 32] = (sums[bit + 32] ?? 0) + unit * (2 * forHigh - this.#total);
    }
    this.#high.fill(0);
    this.#low.fill(0);
    this.#planes = 0;
    this.#total = 0;
  }
}
