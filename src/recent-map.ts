const PARTS = 16;

/** An LRU map of at most `maxEntries` entries. */
export class RecentMap<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #maxEntries: number;
  /** The newest key, which need not be moved. */
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
    if (this.#entries.size > this.#maxEntries) this.#evictOldest();
  }

  /** Evicts in batches, because finding the first key of a `Map` scans all entries deleted before it. */
  #evictOldest(): void {
    let left = Math.max(1, Math.floor(this.#maxEntries / PARTS));
    for (const key of this.#entries.keys()) {
      this.#entries.delete(key);
      left -= 1;
      if (left === 0) return;
    }
  }
}
