/**
 * A map for very many texts. A growing `Map` moves all entries in one step, about 50 ms for half a million;
 * here a part grows at a time.
 */
export class TextMap<Value> {
  /** The first entries; a small map needs no parts. */
  readonly #few = new Map<string, Value>();
  readonly #parts: Map<string, Value>[] = [];

  get(text: string): Value | undefined {
    return this.#few.get(text) ?? (this.#few.size < FEW ? undefined : this.#parts[bucketOf(text)]?.get(text));
  }

  has(text: string): boolean {
    return this.#few.has(text) || (this.#few.size === FEW && this.#parts[bucketOf(text)]?.has(text) === true);
  }

  set(text: string, value: Value): void {
    if (this.#few.size < FEW || this.#few.has(text)) this.#few.set(text, value);
    else (this.#parts[bucketOf(text)] ??= new Map<string, Value>()).set(text, value);
  }
}

const FEW = 1_024;

const PARTS = 64;
/** Only the end of longer texts is hashed, since counters usually are there, or before a short domain. */
const HASHED_CHARS = 32;

function bucketOf(text: string): number {
  let hash = text.length;
  for (let at = Math.max(0, text.length - HASHED_CHARS); at < text.length; at++) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  }
  return (hash ^ (hash >>> 16)) & (PARTS - 1);
}
