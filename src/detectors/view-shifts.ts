import { lastIndexUpTo } from '../text/ascending.ts';
import { grown } from '../text/grown.ts';

/** Entries per block: quick to allocate, and large enough to keep the blocks few. */
const BLOCK = 32_768;
/** Size of the first block, enough for the views of short texts. */
const FIRST_BLOCK = 2;

interface Block {
  /** Positions in the view where the shift changes, ascending. */
  starts: Int32Array;
  /** The shift from each position on. */
  shifts: Int32Array;
  count: number;
}

/**
 * Maps positions of a view to its text by the number of omitted characters. A view of megabytes has millions
 * of entries. Blocks avoid copying a growing list, which would block the event loop.
 */
export class ViewShifts {
  readonly #blocks: Block[] = [];

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  /** @param start position in the view, not before the last one added */
  add(start: number, shift: number): void {
    const block = this.#blockForOneMore();
    block.starts[block.count] = start;
    block.shifts[block.count] = shift;
    block.count += 1;
  }

  /** Returns the shift at `at`; 0 before the first entry. */
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
    if (last !== undefined && last.count < BLOCK) return grownBlock(last);
    const size = last === undefined ? FIRST_BLOCK : BLOCK;
    const block = { starts: new Int32Array(size), shifts: new Int32Array(size), count: 0 };
    this.#blocks.push(block);
    return block;
  }
}

function grownBlock(block: Block): Block {
  block.starts = grown(block.starts);
  block.shifts = grown(block.shifts);
  return block;
}
