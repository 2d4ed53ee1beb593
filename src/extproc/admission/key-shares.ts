import { RecentMap } from '../../recent-map.ts';

const WINDOW_MS = 5_000;
const MAX_KEYS = 10_000;

/** Counts the recent work of accepted keys, to find those with more than an even share. */
export class KeyShares {
  readonly #now: () => number;
  readonly #known = new RecentMap<true>(MAX_KEYS);
  #current = new Map<string, number>();
  #before = new Map<string, number>();
  #currentUnits = 0;
  #unitsBefore = 0;
  #keys = 0;
  #until: number;

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
    this.#until = now() + WINDOW_MS;
  }

  add(key: string, units: number): void {
    this.#turnWindow();
    if (this.#known.get(key) === undefined) this.#known.set(key, true);
    const counted = this.#current.get(key);
    if (counted === undefined) {
      if (this.#current.size >= MAX_KEYS) return;
      if (!this.#before.has(key)) this.#keys += 1;
    }
    this.#current.set(key, (counted ?? 0) + units);
    this.#currentUnits += units;
  }

  /** Reports whether a key is unknown, or has used at least the mean of all keys. */
  isLarge(key: string): boolean {
    this.#turnWindow();
    if (this.#known.get(key) === undefined) return true;
    const own = (this.#current.get(key) ?? 0) + (this.#before.get(key) ?? 0);
    return own * this.#keys >= this.#currentUnits + this.#unitsBefore;
  }

  #turnWindow(): void {
    const now = this.#now();
    if (now < this.#until) return;
    const isStale = now >= this.#until + WINDOW_MS;
    this.#before = isStale ? new Map() : this.#current;
    this.#unitsBefore = isStale ? 0 : this.#currentUnits;
    this.#current = new Map();
    this.#currentUnits = 0;
    this.#keys = this.#before.size;
    this.#until = now + WINDOW_MS;
  }
}
