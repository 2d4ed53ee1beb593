const FIRST_BYTES = 4_096;
const KEPT_BYTES = 1_048_576;

export class GrowingBytes {
  readonly #maxBytes: number;
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;
  #isTooLong = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** True once the limit is exceeded: further bytes are ignored, and `take` returns undefined. */
  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  add(chunk: Uint8Array, from = 0, to = chunk.length): void {
    const length = this.#length + to - from;
    if (this.#isTooLong || length > this.#maxBytes) {
      this.#isTooLong = true;
      return;
    }
    this.#reserve(length);
    this.#bytes.set(chunk.subarray(from, to), this.#length);
    this.#length = length;
  }

  addByte(byte: number): void {
    this.add(Uint8Array.of(byte));
  }

  cut(length: number): void {
    if (length < this.#length) this.#length = length;
  }

  copy(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  /** Empties the buffer and returns its bytes, or undefined if there were too many. */
  take(): Buffer | undefined {
    const bytes = this.#isTooLong ? undefined : this.copy();
    this.#length = 0;
    this.#isTooLong = false;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES);
    return bytes;
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(length, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
