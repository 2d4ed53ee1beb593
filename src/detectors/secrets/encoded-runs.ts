import { NO_DIGIT } from '../../normalize/alphabet-runs.ts';
import {
  BASE64,
  decodeDigits,
  endOfDigits,
  endOfText,
  HEX,
  type Encoding,
  type Reading,
} from './encodings.ts';
import { isWide, NO_TEXT, stepText, TEXT_INSIDE, TEXT_START } from './text-bytes.ts';
import { stickyEnd } from '../../text/sticky.ts';

/** Base64 or hexadecimal digits in a run that decode to text. */
export interface EncodedText {
  readonly encoding: Encoding;
  /** Offsets in the text; `end` is after the padding. */
  readonly start: number;
  readonly end: number;
  /** Number of digits, without line breaks and padding. */
  readonly digits: number;
  readonly isWide: boolean;
  /** Whether more text could add digits. */
  readonly isOpen: boolean;
}

export const MIN_ENCODED_DIGITS = 16;
/** Fewer digits at the end of a text are not held back. */
export const MIN_HELD_DIGITS = 6;
/** Base64 digits with this or a higher value also separate words, so encoded text may begin after one. */
const FIRST_SEPARATOR = 62;
/** A line break between digits, followed by the digits of the next line. */
const LINE_BREAK = /\r?\n[ \t]{0,16}(?=([A-Za-z0-9+/_-]{1,1024})(?:[=\s"'`<>()[\]\\,;]|$))/y;
const LINE_BREAK_AT_END = /(?:\r|\r?\n[ \t]{0,16})?$/y;
const EQUALS = 61;
const MAX_PADDING = 2;

/** Finds parts of Base64 and hexadecimal runs that decode to text, at any alignment, in linear time. */
export class EncodedRuns {
  readonly found: EncodedText[] = [];
  readonly #text: string;
  /** Readings that extend to `#at`. */
  #open: Reading[] = [];
  #at = 0;
  /** Number of digits in the run, before its last line, and in its longest line. */
  #runDigits = 0;
  #lineStart = 0;
  #longestLine = 0;
  /** Offset of a line break that may end the digits; more text decides. */
  #undecidedBreak: number | undefined;
  /** End of the decoded part, by Base64 alignment. */
  readonly #reached = new Int32Array(BASE64.blockDigits);

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Decodes the next run of ASCII characters, or a part of a run. Parts may overlap.
   * @param codes character codes of the text from offset `base`
   * @param mayContinue whether the run may continue after `end`
   */
  read(codes: Uint16Array, base: number, start: number, end: number, mayContinue: boolean): void {
    let from = Math.max(start, this.#at - base);
    if (from >= end) return;
    if (base + from > this.#at) this.#skipTo(base + from);
    while (from < end) {
      const to = endOfDigits(BASE64, codes, from, end);
      if (to - from >= MIN_ENCODED_DIGITS || this.#runDigits > 0 || (mayContinue && to === end)) {
        this.#readDigits({ codes, base, from, to });
      }
      this.#at = base + to;
      if (to < end) {
        this.#endRun();
        this.#at = base + to + 1;
      }
      from = to + 1;
    }
  }

  finish(): void {
    if (this.#beginsLine()) this.#readShortLine();
    const isOpen = this.#at === this.#text.length || this.#mayWrapAtEnd();
    for (const reading of this.#open) this.#note(reading, isOpen);
    this.#open = [];
  }

  #skipTo(next: number): void {
    if (this.#beginsLine()) {
      if (this.#at === next) return;
      this.#readShortLine();
    }
    this.#endRun();
    this.#at = next;
  }

  get #lineDigits(): number {
    return this.#runDigits - this.#lineStart;
  }

  /** Only a line as long as the longest one may be followed by another. */
  get #mayWrap(): boolean {
    return this.#lineDigits >= Math.max(MIN_ENCODED_DIGITS, this.#longestLine);
  }

  /** Continues with the next line of wrapped digits, or returns false if there is none. */
  #beginsLine(): boolean {
    if (this.#open.length === 0 || !this.#mayWrap) return false;
    LINE_BREAK.lastIndex = this.#at;
    const lineBreak = LINE_BREAK.exec(this.#text);
    if (lineBreak === null) return false;
    const [lineBreakText, digits = ''] = lineBreak;
    if (this.#at + lineBreakText.length + digits.length === this.#text.length)
      this.#undecidedBreak ??= this.#at;
    this.#at += lineBreakText.length;
    this.#longestLine = Math.max(this.#longestLine, this.#lineDigits);
    this.#lineStart = this.#runDigits;
    return true;
  }

  /** Decodes a line that is too short to be visited as a run. */
  #readShortLine(): void {
    const base = this.#at;
    const line = this.#text.slice(base, base + MIN_ENCODED_DIGITS);
    const codes = Uint16Array.from(line, (character) => character.charCodeAt(0));
    const to = endOfDigits(BASE64, codes, 0, codes.length);
    this.#readDigits({ codes, base, from: 0, to });
    this.#at = base + to;
  }

  #mayWrapAtEnd(): boolean {
    if (!this.#mayWrap) return false;
    return stickyEnd(LINE_BREAK_AT_END, this.#text, this.#at) !== undefined;
  }

  #endRun(): void {
    if (this.#runDigits === 0) return;
    for (const reading of this.#open) this.#note(reading, false);
    this.#open = [];
    this.#runDigits = 0;
    this.#lineStart = 0;
    this.#longestLine = 0;
    this.#undecidedBreak = undefined;
    this.#reached.fill(0);
  }

  #readDigits(part: Part): void {
    if (this.#open.length > 0) {
      const open = this.#open;
      this.#open = [];
      for (const reading of open) this.#extend(reading, part);
    }
    this.#beginBase64(part);
    this.#beginHex(part);
    this.#runDigits += part.to - part.from;
  }

  /** Starts decoding at the start of a run or line, and after word separators. */
  #beginBase64(part: Part): void {
    const { codes, base, from, to } = part;
    if (base + from === 0) {
      for (let at = 0; at < BASE64.blockDigits; at += 1) this.#beginBase64At(part, at, TEXT_INSIDE);
    } else if (this.#lineDigits === 0) this.#beginBase64At(part, from, TEXT_START);
    const { digits } = BASE64;
    for (let at = from + 1; at < to; at += 1) {
      if ((digits[codes[at - 1] ?? 0] ?? 0) < FIRST_SEPARATOR) continue;
      const first = ((digits[codes[at] ?? 0] ?? 0) << 2) | ((digits[codes[at + 1] ?? 0] ?? 0) >> 4);
      if (at + 1 < to && stepText(TEXT_START, first & 0xff) === NO_TEXT) continue;
      this.#beginBase64At(part, at, TEXT_START);
    }
  }

  #beginBase64At(part: Part, at: number, state: number): void {
    const alignment = (this.#runDigits + at - part.from) % BASE64.blockDigits;
    if (part.base + at < (this.#reached[alignment] ?? 0)) return;
    this.#begin(BASE64, part, at, state, alignment);
  }

  /** Starts decoding at hexadecimal runs that are or may become long enough. */
  #beginHex(part: Part): void {
    const { codes, base, from, to } = part;
    const continues = this.#open.some(({ encoding, start }) => encoding === HEX && start < base + from);
    for (let last = from + MIN_ENCODED_DIGITS - 1; last < to + MIN_ENCODED_DIGITS - 1;) {
      const end = Math.min(last + 1, to);
      const start = startOfHex(codes, from, end);
      if (end < to && end - start < MIN_ENCODED_DIGITS) {
        last = start + MIN_ENCODED_DIGITS - 1;
        continue;
      }
      const isAtStart = base + start === 0;
      if (start < end && !(continues && start === from)) {
        this.#begin(HEX, part, start, isAtStart ? TEXT_INSIDE : TEXT_START);
        if (isAtStart) this.#begin(HEX, part, start + 1, TEXT_INSIDE);
      }
      last = endOfDigits(HEX, codes, end, to) + MIN_ENCODED_DIGITS;
    }
  }

  /** Starts a reading if text may begin at `at`, which is rare. */
  #begin(encoding: Encoding, part: Part, at: number, state: number, alignment = 0): void {
    const { codes, base, to } = part;
    const enough = Math.min(to, at + MIN_ENCODED_DIGITS);
    const end = endOfText(encoding, codes, at, enough, state);
    if (end < enough || at >= to) {
      if (encoding === BASE64) this.#reached[alignment] = base + end;
      return;
    }
    const start = base + at;
    this.#extend(
      { encoding, start, alignment, end: start, digits: 0, bits: 0, bitCount: 0, state },
      part,
      at,
    );
  }

  /** Continues a reading, which stays open if it reaches the end of the part. */
  #extend(reading: Reading, { codes, base, from, to }: Part, at = from): void {
    const end = decodeDigits(reading, codes, at, to);
    if (end > at) reading.end = base + end;
    if (reading.encoding === BASE64) this.#reached[reading.alignment] = base + end;
    if (end === to) this.#open.push(reading);
    else this.#note(reading, false);
  }

  #note({ encoding, start, end: digitsEnd, digits, state }: Reading, reachesEnd: boolean): void {
    const isUndecided = this.#undecidedBreak !== undefined && digitsEnd > this.#undecidedBreak;
    if (digits < (reachesEnd || isUndecided ? MIN_HELD_DIGITS : MIN_ENCODED_DIGITS)) return;
    const end = encoding === BASE64 ? this.#endOfPadding(digitsEnd) : digitsEnd;
    const mayBePadded = end > digitsEnd && end === this.#text.length && end - digitsEnd < MAX_PADDING;
    const isOpen = reachesEnd || isUndecided || mayBePadded;
    this.found.push({ encoding, start, end, digits, isWide: isWide(state), isOpen });
  }

  #endOfPadding(from: number): number {
    let end = from;
    while (end - from < MAX_PADDING && this.#text.charCodeAt(end) === EQUALS) end += 1;
    return end;
  }
}

/** Digits between two offsets in `codes`, which begin at offset `base` of the text. */
interface Part {
  readonly codes: Uint16Array;
  readonly base: number;
  readonly from: number;
  readonly to: number;
}

function startOfHex(codes: Uint16Array, from: number, to: number): number {
  let at = to;
  while (at > from && (HEX.digits[codes[at - 1] ?? 0] ?? NO_DIGIT) !== NO_DIGIT) at -= 1;
  return at;
}
