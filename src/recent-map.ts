/** Of what is held, the part that goes at once. */
const PARTS = 16;

/** A map that holds the most recently used entries: `maxEntries` at most, and not much less where there were so many. */
export class RecentMap<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #maxEntries: number;
  /** What is asked for again and again is not moved each time. */
  #newest: string | undefined;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined && key !== this.#newest) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
      this.#newest = key;
    }
    return value;
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#newest = key;
    if (this.#entries.size > this.#maxEntries) this.#forgetOldest();
  }

  /**
   * Several at once: whoever asks a `Map` for its first key passes over all that was deleted before it since its table was
   * made, tens of thousands where the oldest always goes.
   */
  #forgetOldest(): void {
    let left = Math.max(1, Math.floor(this.#maxEntries / PARTS));
    for (const key of this.#entries.keys()) {
      this.#entries.delete(key);
      left -= 1;
      if (left === 0) return;
    }
  }
}
