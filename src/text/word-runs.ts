const IN_RUN = Uint8Array.from({ length: 256 }, (_, unit) =>
  Number(/[A-Za-z0-9]/.test(String.fromCharCode(unit))),
);

const TO_LOWER = 0x20202020;
/** Longer runs have no key. */
export const MAX_KEY_CHARS = 12;

/** Masks for four characters, by run length. A table avoids branches, which would be mispredicted. */
const FIRST_CHARS = masksAfter(0);
const SECOND_CHARS = masksAfter(4);
const THIRD_CHARS = masksAfter(8);

function masksAfter(chars: number): Int32Array {
  const masks = [0, 0xff, 0xffff, 0xffffff, -1];
  return Int32Array.from(
    { length: MAX_KEY_CHARS + 1 },
    (_, length) => masks[Math.min(4, Math.max(0, length - chars))] ?? 0,
  );
}

/**
 * Finds the runs of letters and digits in an ASCII text. CPUs cannot predict word ends, so each character becomes one
 * bit, and only changes are visited. Three keys identify a run of up to `MAX_KEY_CHARS` characters.
 */
export class WordRuns {
  readonly #maxChars: number;
  readonly #ascii: Buffer;
  readonly #view: DataView;
  /** Alternating starts and ends of runs. */
  readonly edges: Int32Array;
  count = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
    // Groups of characters may be read past the end of the text.
    this.#ascii = Buffer.alloc(maxChars + 32);
    this.#view = new DataView(this.#ascii.buffer, this.#ascii.byteOffset, this.#ascii.length);
    this.edges = new Int32Array(maxChars + 2);
  }

  /** Replaces the previous result. Returns false if the text is too long or not ASCII. */
  read(text: string): boolean {
    const { length } = text;
    if (length > this.#maxChars || Buffer.byteLength(text) !== length) return false;
    this.#ascii.write(text, 'latin1');
    this.#ascii.fill(0, length, length + 32);
    this.#findEdges(length);
    return true;
  }

  /** Returns the first four characters of a run in lower case; the other keys contain four characters each. */
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
      // Differing bits mark starts and ends of runs.
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
