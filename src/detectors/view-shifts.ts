import { lastIndexUpTo } from '../text/ascending.ts';

/** Places of one block: small enough to be made in a moment, and many enough that the blocks are few. */
const BLOCK = 32_768;
/** As large as the blocks of a short text's views need to be. */
const FIRST_BLOCK = 2;

interface Block {
  /** Where in the view the text is ahead by another number of characters, ascending. */
  starts: Int32Array;
  /** By how many, from there on. */
  shifts: Int32Array;
  count: number;
}

/**
 * How far a text is ahead of a view that leaves some of it out. Views of megabytes have millions of places where that
 * changes: they stand in blocks, since a list that grows is copied whole, which would hold up the event loop.
 */
export class ViewShifts {
  readonly #blocks: Block[] = [];

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  /** @param start in the view, not before the one that was added last */
  add(start: number, shift: number): void {
    const block = this.#blockForOneMore();
    block.starts[block.count] = start;
    block.shifts[block.count] = shift;
    block.count += 1;
  }

  /** Of the last place at or before `at`; 0 where there is none. */
  shiftAt(at: number): number {
    const block = this.#blocks[lastIndexUpTo(this.#blocks.length, (index) => this.#startOf(index), at)];
    if (block === undefined) return 0;
    return block.shifts[lastIndexUpTo(block.count, (index) => block.starts[index] ?? 0, at)] ?? 0;
  }

  #startOf(index: number): number {
    return this.#blocks[index]?.starts[0] ?? 0;
  }

  #blockForOneMore(): Block {
    const last = this.#blocks.at(-1);
    if (last !== undefined && last.count < last.starts.length) return last;
    if (last !== undefined && last.count < BLOCK) return grown(last);
    const size = last === undefined ? FIRST_BLOCK : BLOCK;
    const block = { starts: new Int32Array(size), shifts: new Int32Array(size), count: 0 };
    this.#blocks.push(block);
    return block;
  }
}

function grown(block: Block): Block {
  block.starts = twiceAsLarge(block.starts);
  block.shifts = twiceAsLarge(block.shifts);
  return block;
}

function twiceAsLarge(numbers: Int32Array): Int32Array {
  const larger = new Int32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}
