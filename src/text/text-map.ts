/** A map in parts, because a growing `Map` moves all entries at once, which takes 50 ms for half a million. */
export class TextMap<Value> {
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
/** Number of characters hashed from the end of a text. Serial numbers are usually there, or before a short domain. */
const HASHED_CHARS = 32;

function bucketOf(text: string): number {
  let hash = text.length;
  for (let at = Math.max(0, text.length - HASHED_CHARS); at < text.length; at++) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  }
  return (hash ^ (hash >>> 16)) & (PARTS - 1);
}
