/**
 * SimHash (Charikar): 64 bits of which two weighted sets of features share the more, the more alike they are. Two
 * halves of 32 bits, since bigints would make it slow.
 */
export interface SimHash {
  /** Unsigned, 32 bits. */
  readonly high: number;
  readonly low: number;
}

export const SIMHASH_BITS = 64;

/** A weighted sum of features: one number for each bit. */
export type SimHashSums = Float64Array;

export function createSimHashSums(): SimHashSums {
  return new Float64Array(SIMHASH_BITS);
}

/** Adds one feature: its hash votes for 1 or 0 in each bit, with this weight. */
export function addFeature(sums: SimHashSums, { high, low }: SimHash, weight: number): void {
  // Bits of a hash are like coins thrown: a branch on each would be guessed wrong half of the time.
  for (let bit = 0; bit < 32; bit++) {
    sums[bit] = (sums[bit] ?? 0) + (((low >>> bit) & 1) * 2 - 1) * weight;
    sums[bit + 32] = (sums[bit + 32] ?? 0) + (((high >>> bit) & 1) * 2 - 1) * weight;
  }
}

/** Adds the sums of a part, times `factor`. */
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

/** How far a feature has been read, as two numbers of 32 bits; `mixed` makes its hash of it. */
export interface HashState {
  readonly high: number;
  readonly low: number;
}

/** Of nothing read. */
const NOTHING_READ: HashState = { high: 0x9e3779b9 | 0, low: 0x85ebca6b | 0 };
/** How one UTF-16 unit is read: `high = imul(high ^ unit, HIGH_PRIME)`, and so with `low`, which then is shifted into itself. */
export const HIGH_PRIME = 0x01000193;
export const LOW_PRIME = 0x5bd1e995;
export const LOW_SHIFT = 15;

/** Reads on. */
export function readFeature(text: string, { high, low }: HashState = NOTHING_READ): HashState {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, HIGH_PRIME);
    low = Math.imul(low ^ unit, LOW_PRIME);
    low ^= low >>> LOW_SHIFT;
  }
  return { high, low };
}

/**
 * Hashes a text to 64 well-mixed bits. Not for secrets: whoever wants two texts of one hash can make them.
 */
export function hashFeature(text: string): SimHash {
  const { high, low } = readFeature(text);
  return { high: mixedHigh(high, low) >>> 0, low: mixedLow(high, low) >>> 0 };
}

/** The halves of a feature's hash, of what was read of it; signed, for what is not needs memory of its own. */
export function mixedHigh(high: number, low: number): number {
  return mix(high ^ low);
}

export function mixedLow(high: number, low: number): number {
  return mix(low + Math.imul(high, 0x27d4eb2f));
}

/** MurmurHash3's finalizer: every bit of the input turns half of the output. */
function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** Bits in which two differ, 0 to 64. */
export function hammingDistance(one: SimHash, other: SimHash): number {
  return countBits(one.high ^ other.high) + countBits(one.low ^ other.low);
}

function countBits(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** 16 hexadecimal digits. */
export function formatSimHash({ high, low }: SimHash): string {
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

/** Reads what `formatSimHash` wrote. */
export function parseSimHash(hex: string): SimHash {
  return { high: parseInt(hex.slice(0, 8), 16), low: parseInt(hex.slice(8), 16) };
}
