/** A map that holds the `maxEntries` most recently used entries. */
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
    const oldest = this.#entries.size > this.#maxEntries ? this.#entries.keys().next() : undefined;
    if (oldest?.done === false) this.#entries.delete(oldest.value);
  }
}
