import type { Work } from '../turns.ts';
import { skipWithin } from './skip-string.ts';
import { CODES } from './codes.ts';
import { STEP_CHARS } from './weights.ts';

const { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } = CODES;

/** A comma at which a document is split. */
export interface Cut {
  readonly at: number;
  /** The containers around the comma, outermost first. */
  readonly levels: readonly CutLevel[];
}

export interface CutLevel {
  readonly openedAt: number;
  /** In an object, offset of the last member's name. */
  readonly nameAt: number;
}

/**
 * Returns commas between members or elements, at least `pieceChars` UTF-16 code units apart. The text need not be JSON.
 * Takes linear time.
 */
export function* cutsOf(text: string, pieceChars: number): Work<readonly Cut[]> {
  const finder = new CutFinder(text, pieceChars);
  for (let to = STEP_CHARS; !finder.findTo(to); to += STEP_CHARS) yield;
  return finder.cuts;
}

class CutFinder {
  readonly cuts: Cut[] = [];
  readonly #text: string;
  readonly #pieceChars: number;
  readonly #openedAt: number[] = [];
  readonly #nameAt: number[] = [];
  #depth = 0;
  #at = 0;
  #stringAt = 0;
  #isInString = false;

  constructor(text: string, pieceChars: number) {
    this.#text = text;
    this.#pieceChars = pieceChars;
  }

  /** Returns true at the end of the text. */
  findTo(end: number): boolean {
    const text = this.#text;
    const to = Math.min(end, text.length);
    let next = (this.cuts.at(-1)?.at ?? 0) + this.#pieceChars;
    let i = this.#isInString ? this.#skip(this.#at, to) : this.#at;
    while (i < to) {
      const code = text.charCodeAt(i);
      if (code === QUOTE) {
        this.#stringAt = i;
        i = this.#skip(i + 1, to);
        continue;
      }
      if (code === COMMA) {
        if (i >= next && this.#depth > 0) {
          this.#cut(i);
          next = i + this.#pieceChars;
        }
      } else if (code >= COLON) this.#mark(code, i);
      i += 1;
    }
    this.#at = i;
    return i >= text.length && !this.#isInString;
  }

  #mark(code: number, at: number): void {
    if (code === COLON) this.#nameAt[this.#depth] = this.#stringAt;
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      this.#depth += 1;
      this.#openedAt[this.#depth] = at;
      this.#nameAt[this.#depth] = at;
    } else if ((code === CLOSE_OBJECT || code === CLOSE_ARRAY) && this.#depth > 0) this.#depth -= 1;
  }

  #cut(at: number): void {
    const levels = Array.from({ length: this.#depth }, (_, level) => ({
      openedAt: this.#openedAt[level + 1] ?? 0,
      nameAt: this.#nameAt[level + 1] ?? 0,
    }));
    this.cuts.push({ at, levels });
  }

  #skip(from: number, to: number): number {
    const end = skipWithin(this.#text, from, to);
    this.#isInString = end < 0;
    return this.#isInString ? ~end : end;
  }
}
