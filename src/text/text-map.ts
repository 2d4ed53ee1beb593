/**
 * A map by texts, for very many of them: a `Map` that grows moves all that it has in one step, some 50 ms for half a
 * million. Here a part of it grows at a time.
 */
export class TextMap<Value> {
  /** The first ones: what has no more than these pays for no parts. */
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
/** Of a longer text the end: what counts them stands there, or before a short domain. */
const HASHED_CHARS = 32;

function bucketOf(text: string): number {
  let hash = text.length;
  for (let at = Math.max(0, text.length - HASHED_CHARS); at < text.length; at++) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  }
  return (hash ^ (hash >>> 16)) & (PARTS - 1);
}
