/**
 * Reads texts as typed arrays of their UTF-16 units, one after the other into the same memory: several times faster than
 * a string's characters, above all than those of a part of a longer one.
 */
export class UnitReader {
  readonly #bytes: Buffer;
  readonly #units: Uint16Array;

  /** @param maxChars of a longer text an array of its own is made */
  constructor(maxChars: number) {
    this.#units = new Uint16Array(maxChars + 1);
    this.#bytes = Buffer.from(this.#units.buffer);
  }

  /** The units of a text, and a 0 behind the last; until the next text is read. Longer than these. */
  read(text: string): Uint16Array {
    const { length } = text;
    if (length >= this.#units.length) {
      const units = new Uint16Array(length + 1);
      Buffer.from(units.buffer).write(text, 'utf16le');
      return units;
    }
    this.#bytes.write(text, 'utf16le');
    this.#units[length] = 0;
    return this.#units;
  }
}
