/** 1 for a letter or digit of ASCII. */
const IN_RUN = Uint8Array.from({ length: 256 }, (_, unit) =>
  Number(/[A-Za-z0-9]/.test(String.fromCharCode(unit))),
);

/** Four characters at once: small letters for capitals, digits as they are. */
const TO_LOWER = 0x20202020;
/** Longer runs have no key. */
export const MAX_KEY_CHARS = 12;

/** What of four characters belongs to a run of so many: looked up, for its length cannot be foreseen. */
const FIRST_CHARS = masksBehind(0);
const SECOND_CHARS = masksBehind(4);
const THIRD_CHARS = masksBehind(8);

function masksBehind(chars: number): Int32Array {
  const masks = [0, 0xff, 0xffff, 0xffffff, -1];
  return Int32Array.from(
    { length: MAX_KEY_CHARS + 1 },
    (_, length) => masks[Math.min(4, Math.max(0, length - chars))] ?? 0,
  );
}

/**
 * The runs of letters and digits in a text of ASCII. Where words end cannot be foreseen by a processor, so they are found
 * without stopping at each: eight characters become eight bits, and only the bits that differ are gone through. Short runs
 * have a key of three numbers, by which they are known again without a look at each letter.
 */
export class WordRuns {
  readonly #maxChars: number;
  readonly #ascii: Buffer;
  readonly #view: DataView;
  /** Where each run begins, and where it ends, one behind the other. */
  readonly edges: Int32Array;
  /** Of runs. */
  count = 0;

  /** @param maxChars of the longest text */
  constructor(maxChars: number) {
    this.#maxChars = maxChars;
    // Groups of characters are read beyond the end.
    this.#ascii = Buffer.alloc(maxChars + 32);
    this.#view = new DataView(this.#ascii.buffer, this.#ascii.byteOffset, this.#ascii.length);
    this.edges = new Int32Array(maxChars + 2);
  }

  /** Reads a text, unless it has other characters than ASCII or is too long; then tells so. What was read before is gone. */
  read(text: string): boolean {
    const { length } = text;
    if (length > this.#maxChars || Buffer.byteLength(text) !== length) return false;
    this.#ascii.write(text, 'latin1');
    this.#ascii.fill(0, length, length + 32);
    this.#findEdges(length);
    return true;
  }

  /** Characters of a run four by four, in lower case, as numbers: the first, the second, the third; zeros behind its end. */
  firstKey(start: number, chars: number): number {
    return this.#fourAt(start) & (FIRST_CHARS[chars] ?? 0);
  }

  secondKey(start: number, chars: number): number {
    return this.#fourAt(start + 4) & (SECOND_CHARS[chars] ?? 0);
  }

  thirdKey(start: number, chars: number): number {
    return this.#fourAt(start + 8) & (THIRD_CHARS[chars] ?? 0);
  }

  #fourAt(at: number): number {
    return this.#view.getInt32(at, true) | TO_LOWER;
  }

  #findEdges(length: number): void {
    const ascii = this.#ascii;
    const edges = this.edges;
    let count = 0;
    let before = 0;
    for (let at = 0; at < length; at += 32) {
      const inRun =
        eightAt(ascii, at) |
        (eightAt(ascii, at + 8) << 8) |
        (eightAt(ascii, at + 16) << 16) |
        (eightAt(ascii, at + 24) << 24);
      // Bits that differ from the one before: a run begins there, or has ended.
      let differ = inRun ^ ((inRun << 1) | before);
      before = inRun >>> 31;
      while (differ !== 0) {
        const lowest = differ & -differ;
        edges[count++] = at + 31 - Math.clz32(lowest);
        differ ^= lowest;
      }
    }
    if (before === 1) edges[count++] = length;
    this.count = count >> 1;
  }
}

/** A bit for each of eight characters. */
function eightAt(ascii: Uint8Array, at: number): number {
  return (
    (IN_RUN[ascii[at] ?? 0] ?? 0) |
    ((IN_RUN[ascii[at + 1] ?? 0] ?? 0) << 1) |
    ((IN_RUN[ascii[at + 2] ?? 0] ?? 0) << 2) |
    ((IN_RUN[ascii[at + 3] ?? 0] ?? 0) << 3) |
    ((IN_RUN[ascii[at + 4] ?? 0] ?? 0) << 4) |
    ((IN_RUN[ascii[at + 5] ?? 0] ?? 0) << 5) |
    ((IN_RUN[ascii[at + 6] ?? 0] ?? 0) << 6) |
    ((IN_RUN[ascii[at + 7] ?? 0] ?? 0) << 7)
  );
}
