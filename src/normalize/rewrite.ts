import type { Span } from '../text/span.ts';

/** What a stage made of a text. */
export interface StageResult {
  readonly text: string;
  /** Whether the stage saw evidence that something was hidden. */
  readonly found: boolean;
  /** Spans of `text` back to the text the stage was given; absent where positions did not move. */
  readonly map?: SpanMap;
}

/** One of the five stages. */
export type Stage = (text: string) => StageResult;

/** The answer of a stage that has nothing to do. */
export const unchanged = (text: string): StageResult => ({ text, found: false });

/** Numbers of one edit in `SpanMap`: source start and end, output start and end. */
const fieldsPerEdit = 4;

/** A piecewise map from an output text to its source: only the edits are kept, what lies between moved as a whole. */
export class SpanMap {
  readonly #edits: Int32Array;
  readonly #appended: Int32Array;
  readonly #sourceLength: number;

  /** Both lists hold edits in order of output; appended stand behind the text and point anywhere into the source. */
  constructor(edits: readonly number[], appended: readonly number[], sourceLength: number) {
    this.#edits = Int32Array.from(edits);
    this.#appended = Int32Array.from(appended);
    this.#sourceLength = sourceLength;
  }

  toOriginalSpan(start: number, end: number): Span {
    const from = this.#start(start);
    return { start: from, end: end > start ? Math.max(from, this.#end(end)) : from };
  }

  #start(at: number): number {
    const found = this.#appendedAt(at);
    return found === undefined ? position(this.#edits, at, 0) : editField(this.#appended, found, 0);
  }

  /** The end of the last unit, so that what was deleted behind a span stays outside of it. */
  #end(end: number): number {
    const found = this.#appendedAt(end - 1);
    const source =
      found === undefined ? position(this.#edits, end - 1, 1) : editField(this.#appended, found, 1);
    return Math.min(source, this.#sourceLength);
  }

  #appendedAt(at: number): number | undefined {
    if (this.#appended.length === 0 || at < editField(this.#appended, 0, 2)) return undefined;
    const index = firstEndingAfter(this.#appended, at);
    return Math.min(index, this.#appended.length / fieldsPerEdit - 1);
  }
}

function editField(edits: Int32Array, index: number, at: number): number {
  return edits[index * fieldsPerEdit + at] ?? 0;
}

/** Start (`side` 0) or end (`side` 1) in the source of the output unit at `at`. */
function position(edits: Int32Array, at: number, side: 0 | 1): number {
  const index = firstEndingAfter(edits, at);
  if (index * fieldsPerEdit < edits.length && editField(edits, index, 2) <= at)
    return editField(edits, index, side);
  if (index === 0) return at + side;
  return at + side + editField(edits, index - 1, 1) - editField(edits, index - 1, 3);
}

/** Index of the first edit whose output ends behind `at`. */
function firstEndingAfter(edits: Int32Array, at: number): number {
  let low = 0;
  let high = edits.length / fieldsPerEdit;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (editField(edits, middle, 3) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Collects replacements from left to right and keeps the map. */
export class Rewriter {
  readonly #source: string;
  readonly #edits: number[] = [];
  readonly #appended: number[] = [];
  #tail = '';
  #text = '';
  #copied = 0;
  #changed = false;

  constructor(source: string) {
    this.#source = source;
  }

  /** Replaces a span; spans come in order and do not overlap. */
  replace(start: number, end: number, by: string): void {
    if (start > this.#copied) this.#text += this.#source.slice(this.#copied, start);
    const at = this.#text.length;
    this.#text += by;
    this.#copied = end;
    this.#changed = true;
    if (end - start !== 1 || by.length !== 1) this.#edits.push(start, end, at, at + by.length);
  }

  /** Adds what a span may also mean on a line of its own behind the text. */
  append(start: number, end: number, text: string): void {
    const at = this.#tail.length;
    this.#tail += `\n${text}`;
    this.#changed = true;
    this.#appended.push(start, end, at, this.#tail.length);
  }

  finish(found: boolean): StageResult {
    if (!this.#changed) return { text: this.#source, found };
    const body = this.#text + this.#source.slice(this.#copied);
    const appended = this.#appended.map((value, index) =>
      index % fieldsPerEdit >= 2 ? value + body.length : value,
    );
    const text = body + this.#tail;
    if (this.#edits.length === 0 && appended.length === 0) return { text, found };
    return { text, found, map: new SpanMap(this.#edits, appended, this.#source.length) };
  }
}
