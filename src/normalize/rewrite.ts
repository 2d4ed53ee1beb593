import { OffsetMap } from '../inspect/offset-map.ts';

export interface StageResult {
  readonly text: string;
  /** Whether something was hidden. */
  readonly found: boolean;
  /** Maps spans of `text` to the input. Absent if positions have not changed. */
  readonly map?: OffsetMap;
}

export type Stage = (text: string) => StageResult;

export const unchanged = (text: string): StageResult => ({ text, found: false });

/** Collects replacements in order, with their offset map. */
export class Rewriter {
  readonly #source: string;
  readonly #map = new OffsetMap();
  readonly #appended: (readonly [start: number, end: number, at: number, endAt: number])[] = [];
  #tail = '';
  #text = '';
  #copied = 0;
  #changed = false;

  constructor(source: string) {
    this.#source = source;
  }

  /** Spans must be in order, and must not overlap. */
  replace(start: number, end: number, by: string): void {
    if (start > this.#copied) this.#text += this.#source.slice(this.#copied, start);
    const at = this.#text.length;
    this.#text += by;
    this.#copied = end;
    this.#changed = true;
    if (end - start !== 1 || by.length !== 1) this.#map.add(start, end, at, at + by.length);
  }

  /** Appends a second reading of a span on a separate line. */
  append(start: number, end: number, text: string): void {
    const at = this.#tail.length;
    this.#tail += `\n${text}`;
    this.#changed = true;
    this.#appended.push([start, end, at, this.#tail.length]);
  }

  finish(found: boolean): StageResult {
    if (!this.#changed) return { text: this.#source, found };
    const body = this.#text + this.#source.slice(this.#copied);
    for (const [start, end, at, endAt] of this.#appended) {
      this.#map.add(start, end, body.length + at, body.length + endAt);
    }
    const text = body + this.#tail;
    return this.#map.isEmpty ? { text, found } : { text, found, map: this.#map };
  }
}
