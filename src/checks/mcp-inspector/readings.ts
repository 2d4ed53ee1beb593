import { setImmediate as nextTurn } from 'node:timers/promises';
import { readHidden } from '../../normalize/hidden-bytes.ts';
import { stretchesOf, type Page, type Piece, type Stretch } from './page.ts';

/** A text that its reader may make of a page, and where what is found in it stands. */
export interface Reading {
  readonly text: string;
  readonly stretches: (start: number, end: number) => readonly Stretch[];
}

/** A span of a reading, and what it was made of. */
interface Part {
  /** UTF-16 units of the reading. */
  readonly start: number;
  readonly end: number;
  readonly stretches: (start: number, end: number) => readonly Stretch[];
}

/** Of a long text, so much of its ends is put together with its neighbours: no attack is longer, and hardly a secret. */
const EDGE_CHARS = 1_024;

/**
 * The texts of a page one right after the other, as some clients join the texts of a result: what was split within a
 * word shows. Undefined where there are not two.
 */
export function withoutGaps({ pieces }: Page): Reading | undefined {
  if (pieces.length < 2) return undefined;
  const writer = new ReadingWriter();
  for (const piece of pieces) {
    const { length } = piece.text;
    if (length <= 2 * EDGE_CHARS) writer.addPiece(piece, 0, length);
    else {
      writer.addPiece(piece, 0, EDGE_CHARS);
      writer.addNothing('\n\n');
      writer.addPiece(piece, length - EDGE_CHARS, length);
    }
  }
  return writer.reading();
}

/** Colours and the like (ECMA-48 control sequences). */
const TERMINAL_CODE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g;

/**
 * A page as a terminal shows it, without colours: the end of a code reads as a letter of the word behind it. With
 * something in their place, for the code may part words or stand within one. Undefined where there are none.
 */
export function withoutTerminalCodes(page: Page, inTheirPlace: string): Reading | undefined {
  if (!page.text.includes('\u001b') && !page.text.includes('\u009b')) return undefined;
  const writer = new ReadingWriter();
  let from = 0;
  for (const { 0: code, index } of page.text.matchAll(TERMINAL_CODE)) {
    writer.addOf(page, from, index);
    writer.addNothing(inTheirPlace);
    from = index + code.length;
  }
  writer.addOf(page, from, page.text.length);
  return writer.reading();
}

/** Tags, variation selectors, and what else prints nothing: in UTF-16 units, for a class of them is searched faster. */
const UNSEEN = /(?:[\u200b-\u200f]|[\u2060-\u2064\ufeff]|[\ufe00-\ufe0f]|\udb40[\udc00-\udfff])+/g;
/** Of one run; read in one turn. */
const MAX_RUN_CHARS = 8_192;

/**
 * What is written on a page in characters that print nothing, by itself: right behind a letter it would read as part of
 * another word. What is found takes the whole run along. Undefined where nothing is.
 */
export async function unseenOf(page: Page): Promise<Reading | undefined> {
  const writer = new ReadingWriter();
  for (const { 0: run, index } of page.text.matchAll(UNSEEN)) {
    for (let from = 0; from < run.length; from += MAX_RUN_CHARS) {
      const part = run.slice(from, from + MAX_RUN_CHARS);
      const shown = part.length > 1 ? readHidden(part) : undefined;
      if (shown === undefined) continue;
      writer.add(shown, () => stretchesOf(page, index + from, index + from + part.length));
      if (part.length === MAX_RUN_CHARS) await nextTurn();
    }
  }
  return writer.reading();
}

class ReadingWriter {
  readonly #texts: string[] = [];
  readonly #parts: Part[] = [];
  #length = 0;

  add(text: string, stretches: Part['stretches']): void {
    const start = this.#length;
    this.#texts.push(text);
    this.#length += text.length;
    this.#parts.push({ start, end: this.#length, stretches });
  }

  addPiece(piece: Piece, from: number, to: number): void {
    this.add(piece.text.slice(from, to), (start, end) => [{ piece, start: from + start, end: from + end }]);
  }

  addOf(page: Page, from: number, to: number): void {
    this.add(page.text.slice(from, to), (start, end) => stretchesOf(page, from + start, from + end));
  }

  /** What stands nowhere. */
  addNothing(text: string): void {
    this.add(text, () => []);
  }

  reading(): Reading | undefined {
    const parts = this.#parts;
    if (parts.length === 0) return undefined;
    return {
      text: this.#texts.join(''),
      stretches: (start, end) =>
        parts
          .slice(firstEndingAfter(parts, start), firstStartingFrom(parts, end))
          .flatMap((part) =>
            part.stretches(Math.max(0, start - part.start), Math.min(end, part.end) - part.start),
          ),
    };
  }
}

function firstEndingAfter(parts: readonly Part[], at: number): number {
  return firstWhere(parts, ({ end }) => end > at);
}

function firstStartingFrom(parts: readonly Part[], at: number): number {
  return firstWhere(parts, ({ start }) => start >= at);
}

/** Index of the first part for which it is so, as for all after it. */
function firstWhere(parts: readonly Part[], isSo: (part: Part) => boolean): number {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const part = parts[middle];
    if (part !== undefined && isSo(part)) high = middle;
    else low = middle + 1;
  }
  return low;
}
