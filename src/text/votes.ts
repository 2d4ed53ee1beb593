import type { SimHashSums } from './simhash.ts';

/** A bit gets fewer than 2^30 votes. */
const PLANES = 30;

/**
 * Counts for each of 64 bits how many features have it. Adds a feature to all bits at once, plane by plane with
 * carry: six times faster than one number per bit.
 */
export class Votes {
  /** By plane: the digits of all counts for one power of two. */
  readonly #high = new Int32Array(PLANES);
  readonly #low = new Int32Array(PLANES);
  #planes = 0;
  #total = 0;

  /** Adds a feature with a weight of two to the `power`. Allocates nothing. */
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

  /** Adds `unit` per vote for 1, and minus `unit` per vote for 0, to the sums; resets. */
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
