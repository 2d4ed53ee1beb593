import type { JsonPath } from '../../json/path.ts';

/** A JSON document: the message itself, or one that stands as text in a string of another. */
export interface Doc {
  readonly root: unknown;
  /** Where it stands, and as what text; undefined for the message. */
  readonly within: (Place & { readonly text: string }) | undefined;
  /** 0 for the message, at most `MAX_DOC_DEPTH`. */
  readonly depth: number;
}

/** JSON in a string of JSON in a string; what is deeper is read as text. */
export const MAX_DOC_DEPTH = 3;

/** A string of a document, or the member whose name it is. */
export interface Place {
  readonly doc: Doc;
  readonly path: JsonPath;
}

/** A text of a message. */
export interface Piece {
  /** `blob`: base64 of the text. `name`: the name of members. `number`: one, as it is written. */
  readonly kind: 'value' | 'blob' | 'name' | 'number';
  readonly text: string;
  /** One, but for names, which are searched once. */
  readonly places: readonly Place[];
  /** UTF-16 units of the page. */
  readonly start: number;
}

/** Many texts in one, to be searched at once. */
export interface Page {
  readonly text: string;
  /** In order of `start`; they do not overlap. */
  readonly pieces: readonly Piece[];
}

/** A stretch of a piece, UTF-16 units of its text, end exclusive. */
export interface Stretch {
  readonly piece: Piece;
  readonly start: number;
  readonly end: number;
}

export class PageWriter {
  readonly #parts: string[] = [];
  readonly #pieces: Piece[] = [];
  #length = 0;

  add(piece: Omit<Piece, 'start'>, before: string, after: string): void {
    this.#pieces.push({ ...piece, start: this.#length + before.length });
    this.#parts.push(before, piece.text, after);
    this.#length += before.length + piece.text.length + after.length;
  }

  page(): Page {
    return { text: this.#parts.join(''), pieces: this.#pieces };
  }
}

/** The stretches of pieces that a span of the page covers; of what stands between them there are none. */
export function stretchesOf({ pieces }: Page, start: number, end: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (let at = pieceBefore(pieces, start); at < pieces.length; at += 1) {
    const piece = pieces[at];
    if (piece === undefined || piece.start >= end) break;
    const from = Math.max(0, start - piece.start);
    const to = Math.min(piece.text.length, end - piece.start);
    if (from < to) stretches.push({ piece, start: from, end: to });
  }
  return stretches;
}

/** Index of the last piece that starts at or before `at`, or 0. */
function pieceBefore(pieces: readonly Piece[], at: number): number {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pieces[middle]?.start ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
