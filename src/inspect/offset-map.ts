import { lastIndexUpTo } from '../text/ascending.ts';
import { grown } from '../text/grown.ts';
import type { Span } from '../text/span.ts';
import type { Work } from '../turns.ts';

export interface TextView {
  readonly text: string;
  /** Maps a span to the original from which `text` was derived. */
  readonly toOriginal: (span: Span) => Span;
}

export const asGiven = (text: string): TextView => ({ text, toOriginal: (span) => span });

/** Composes two views. Spans map through both to the original of `outer`. */
export function viewThrough(outer: TextView, { text, toOriginal }: TextView): TextView {
  return { text, toOriginal: (span) => outer.toOriginal(toOriginal(span)) };
}

export function offsetIn({ toOriginal }: TextView, at: number): number {
  return toOriginal({ start: at, end: at }).start;
}

const FIELDS = 4;
const [START, END, AT, END_AT] = [0, 1, 2, 3] as const;
/** Edits per block. Blocks avoid copying an array of possibly millions of edits. */
const BLOCK = 16_384;
const FIRST_BLOCK = 2;

/** Maps spans of an edited text to the original. Stores only edits; between them, offsets differ by a constant. */
export class OffsetMap {
  readonly #blocks: Int32Array[] = [];
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Records that `start` to `end` of the original became `at` to `endAt`. Must be called in order of `at`. */
  add(start: number, end: number, at: number, endAt: number): void {
    const edits = this.#blockForOneMore();
    const from = (this.#count % BLOCK) * FIELDS;
    edits[from + START] = start;
    edits[from + END] = end;
    edits[from + AT] = at;
    edits[from + END_AT] = endAt;
    this.#count += 1;
  }

  /** The end maps from the last character, so text deleted after a span stays outside. */
  readonly toOriginal = ({ start, end }: Span): Span => {
    const from = this.#original(start, START);
    return { start: from, end: end > start ? Math.max(from, this.#original(end - 1, END)) : from };
  };

  #original(at: number, side: typeof START | typeof END): number {
    const last = lastIndexUpTo(this.#count, (index) => this.#field(index, END_AT), at);
    const next = last + 1;
    if (next < this.#count && this.#field(next, AT) <= at) return this.#field(next, side);
    return at + side + (last < 0 ? 0 : this.#field(last, END) - this.#field(last, END_AT));
  }

  #field(index: number, field: number): number {
    return this.#blocks[Math.floor(index / BLOCK)]?.[(index % BLOCK) * FIELDS + field] ?? 0;
  }

  #blockForOneMore(): Int32Array {
    const used = this.#count % BLOCK;
    const last = this.#blocks.at(-1);
    if (last !== undefined && used > 0) {
      if (used * FIELDS < last.length) return last;
      const larger = grown(last);
      this.#blocks[this.#blocks.length - 1] = larger;
      return larger;
    }
    const block = new Int32Array((last === undefined ? FIRST_BLOCK : BLOCK) * FIELDS);
    this.#blocks.push(block);
    return block;
  }
}

/** An edited copy of a text, with its offset map. Edits must be in order and must not overlap. */
export class EditedText {
  readonly source: string;
  readonly #map = new OffsetMap();
  #text = '';
  #parts: string[] = [];
  #copied = 0;
  #length = 0;
  #isEdited = false;

  constructor(source: string) {
    this.source = source;
  }

  /** Source offset up to which the text has been copied or replaced. */
  get copied(): number {
    return this.#copied;
  }

  get length(): number {
    return this.#length;
  }

  replace(start: number, end: number, by: string): void {
    this.copyTo(start);
    this.#write(start, end, by);
    this.#copied = end;
  }

  /** Appends another reading of a span. Must be called after all other edits. */
  append(start: number, end: number, reading: string): void {
    this.copyTo(this.source.length);
    this.#write(start, end, reading);
  }

  copyTo(end: number): void {
    if (end <= this.#copied) return;
    this.#parts.push(this.source.slice(this.#copied, end));
    this.#length += end - this.#copied;
    this.#copied = end;
  }

  #write(start: number, end: number, by: string): void {
    const at = this.#length;
    this.#length += by.length;
    this.#isEdited = true;
    if (by !== '') this.#parts.push(by);
    if (end - start !== 1 || by.length !== 1) this.#map.add(start, end, at, this.#length);
  }

  /** Must be called regularly, because joining a million parts at once would take too long. */
  join(): void {
    this.#text += this.#parts.join('');
    this.#parts = [];
  }

  /** Returns undefined if nothing was edited. */
  finish(): TextView | undefined {
    if (!this.#isEdited) return undefined;
    this.copyTo(this.source.length);
    this.join();
    return { text: this.#text, toOriginal: this.#map.toOriginal };
  }
}

/**
 * Edits a text of any length in steps of `stepChars`. Returns undefined if nothing was replaced.
 * @param edit edits the text from `from` to about `to`, and returns the end of the processed part
 */
export function* editInSteps(
  text: string,
  stepChars: number,
  edit: (edited: EditedText, from: number, to: number) => number,
): Work<TextView | undefined> {
  const edited = new EditedText(text);
  for (;;) {
    const from = edited.copied;
    edited.copyTo(edit(edited, from, Math.min(text.length, from + stepChars)));
    edited.join();
    if (edited.copied >= text.length) return edited.finish();
    yield;
  }
}

export interface Part<Source> extends Span {
  readonly source: Source;
  /** Offset of the part in its source. */
  readonly from: number;
}

export interface PlacedSpan<Source> extends Span {
  readonly source: Source;
}

/** Joins texts to search them as one, and maps spans of the joined text to the sources. */
export class Joined<Source> {
  readonly parts: Part<Source>[] = [];
  readonly #texts: string[] = [];
  #length = 0;
  #text: string | undefined;

  add(source: Source, text: string, from = 0): void {
    this.parts.push({ source, from, start: this.#length, end: this.#length + text.length });
    this.separate(text);
  }

  separate(text: string): void {
    this.#texts.push(text);
    this.#length += text.length;
    this.#text = undefined;
  }

  get text(): string {
    return (this.#text ??= this.#texts.join(''));
  }

  readonly spans = (span: Span): readonly PlacedSpan<Source>[] =>
    this.partsWithin(span).map(({ source, from, start, end }) => ({
      source,
      start: from + Math.max(0, span.start - start),
      end: from + Math.min(end, span.end) - start,
    }));

  partsWithin({ start, end }: Span): readonly Part<Source>[] {
    const reached: Part<Source>[] = [];
    const { parts } = this;
    const first = lastIndexUpTo(parts.length, (index) => parts[index]?.start ?? 0, start);
    for (let index = Math.max(0, first); index < parts.length; index += 1) {
      const part = parts[index];
      if (part === undefined || part.start >= end) break;
      if (Math.max(start, part.start) < Math.min(end, part.end)) reached.push(part);
    }
    return reached;
  }
}
