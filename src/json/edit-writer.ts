import type { Work } from '../turns.ts';
import { isHighSurrogate } from '../text/units.ts';
import { STEP_CHARS } from './weights.ts';

/** Punctuation, or a value to write as JSON. */
export type Part = string | { readonly value: unknown };

export interface Patch {
  readonly start: number;
  readonly end: number;
  readonly parts: readonly Part[];
}

const STEP_PIECES = 8_192;

/** Returns the document with its patches, which must be ordered and must not overlap. */
export function* written(body: Buffer, patches: readonly Patch[]): Work<Buffer> {
  const pieces: Buffer[] = [];
  let from = 0;
  let count = 0;
  for (const { start, end, parts } of patches) {
    if (++count % STEP_PIECES === 0) yield;
    if (start > from) pieces.push(body.subarray(from, start));
    if (parts.some(isLongValue)) yield* addParts(parts, pieces);
    else if (parts.length > 0) pieces.push(Buffer.from(parts.map(partText).join('')));
    from = end;
  }
  pieces.push(body.subarray(from));
  return yield* joinedBytes(pieces);
}

function isLongValue(part: Part): part is { readonly value: string } {
  return typeof part !== 'string' && typeof part.value === 'string' && part.value.length > STEP_CHARS;
}

export function partText(part: Part): string {
  return typeof part === 'string' ? part : JSON.stringify(part.value);
}

function* addParts(parts: readonly Part[], pieces: Buffer[]): Work<void> {
  let short = '';
  for (const part of parts) {
    if (!isLongValue(part)) short += partText(part);
    else {
      pieces.push(Buffer.from(`${short}"`));
      for (const piece of stringPieces(part.value, STEP_CHARS)) {
        pieces.push(Buffer.from(piece));
        yield;
      }
      short = '"';
    }
  }
  pieces.push(Buffer.from(short));
}

/**
 * Yields the JSON of a long string, without its quotes, in pieces. No piece ends inside a surrogate pair, whose halves
 * would be escaped separately.
 * @param chars characters of the string per piece; at least 2
 */
export function* stringPieces(text: string, chars: number): Generator<string, void> {
  for (let from = 0; from < text.length;) {
    const most = Math.min(text.length, from + chars);
    const to = most < text.length && isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
}

function* joinedBytes(pieces: readonly Buffer[]): Work<Buffer> {
  if (pieces.length <= STEP_PIECES) return Buffer.concat(pieces);
  const groups: Buffer[] = [];
  for (let from = 0; from < pieces.length; from += STEP_PIECES) {
    yield;
    groups.push(Buffer.concat(pieces.slice(from, from + STEP_PIECES)));
  }
  yield;
  return Buffer.concat(groups);
}
