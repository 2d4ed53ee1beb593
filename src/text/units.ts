/** Copies texts into a reused array of UTF-16 code units, which is read several times faster than a string. */
export class UnitReader {
  readonly #bytes: Buffer;
  readonly #units: Uint16Array;

  /** @param maxChars longer texts get their own array */
  constructor(maxChars: number) {
    this.#units = new Uint16Array(maxChars + 1);
    this.#bytes = Buffer.from(this.#units.buffer);
  }

  /** Returns the code units of a text and a final 0, valid until the next call. The array may be longer. */
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

export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
