/** Places of one piece: small enough to be made in a moment, and many enough that the pieces are few. */
const PIECE = 32_768;
/** As large as the pieces of a short text's views need to be. */
const FIRST_PIECE = 2;

interface Piece {
  /** Where in the view the text is ahead by another number of characters, ascending. */
  starts: Int32Array;
  /** By how many, from there on. */
  shifts: Int32Array;
  count: number;
}

/**
 * How far a text is ahead of a view that leaves some of it out. Views of megabytes have millions of places where that
 * changes: they stand in pieces, since a list that grows is copied whole, which would hold up the event loop.
 */
export class ViewShifts {
  readonly #pieces: Piece[] = [];

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  /** @param start in the view, not before the one that was added last */
  add(start: number, shift: number): void {
    const piece = this.#pieceForOneMore();
    piece.starts[piece.count] = start;
    piece.shifts[piece.count] = shift;
    piece.count += 1;
  }

  /** Of the last place at or before `at`; 0 where there is none. */
  shiftAt(at: number): number {
    const piece = this.#pieces[lastUpTo(this.#pieces.length, (index) => this.#startOf(index), at)];
    if (piece === undefined) return 0;
    return piece.shifts[lastUpTo(piece.count, (index) => piece.starts[index] ?? 0, at)] ?? 0;
  }

  #startOf(index: number): number {
    return this.#pieces[index]?.starts[0] ?? 0;
  }

  #pieceForOneMore(): Piece {
    const last = this.#pieces.at(-1);
    if (last !== undefined && last.count < last.starts.length) return last;
    if (last !== undefined && last.count < PIECE) return grown(last);
    const size = last === undefined ? FIRST_PIECE : PIECE;
    const piece = { starts: new Int32Array(size), shifts: new Int32Array(size), count: 0 };
    this.#pieces.push(piece);
    return piece;
  }
}

function grown(piece: Piece): Piece {
  piece.starts = twiceAsLarge(piece.starts);
  piece.shifts = twiceAsLarge(piece.shifts);
  return piece;
}

function twiceAsLarge(numbers: Int32Array): Int32Array {
  const larger = new Int32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

/** The index of the last of ascending numbers that is not over `most`; -1 where all are. */
function lastUpTo(count: number, numberAt: (index: number) => number, most: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numberAt(middle) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
