import type { RewrittenFrame } from '../../../pipeline/check.ts';
import { isSettled, mayLeave, release } from './stream-entry.ts';
import type { Released, StreamEntry } from './stream-entry.ts';
import { bufferLimitExceeded } from '../scan/buffer-limit.ts';
import type { Work } from '../../../turns.ts';

const MAX_EVENTS = 4096;
/** Twice what a frame may have. */
const MAX_BYTES = 8_388_608;

/**
 * Servers say the ids of a token before its text, where that is part of a character or may be a word to stop at: so many
 * characters more must be decided before ids leave.
 */
const LEAD_CHARS = 64;

/** Events in the order in which they are sent: one that waits keeps those behind it. Bounded. */
export class StreamQueue {
  readonly #isMasked: () => boolean;
  #entries: StreamEntry[] = [];
  #bytes = 0;

  /** @param isMasked something of the stream was masked so far */
  constructor(isMasked: () => boolean) {
    this.#isMasked = isMasked;
  }

  /**
   * Adds an event, and gives what may leave: others before it, and its own edits unless it is held.
   * @throws GatewayError upstream_unavailable where too much waits
   */
  *add(entry: StreamEntry): Work<Released & { readonly isHeld: boolean }> {
    if (this.#entries.length === 0 && entry.tokenIds.length === 0 && mayLeave(entry)) {
      return { ...(yield* release(entry, false)), isHeld: false };
    }
    this.#entries.push(entry);
    this.#bytes += entry.event.frame.raw.length;
    const before = yield* this.#release(false);
    const last = before.at(-1);
    if (last?.event === entry.event && last.copy !== true) {
      return { before: before.slice(0, -1), edits: last.edits, isHeld: false };
    }
    if (this.#entries.length > MAX_EVENTS || this.#bytes > MAX_BYTES) throw bufferLimitExceeded();
    return { before, edits: [], isHeld: true };
  }

  /** The stream is over: the events that wait for no text, in order. */
  *releaseLast(): Work<readonly RewrittenFrame[]> {
    return yield* this.#release(true);
  }

  *#release(isOver: boolean): Work<readonly RewrittenFrame[]> {
    const frames: RewrittenFrame[] = [];
    const isMasked = this.#isMasked();
    let count = 0;
    for (const entry of this.#entries) {
      if (!mayLeave(entry)) break;
      if (!isOver && entry.tokenIds.length > 0 && !this.#isFollowed(count)) break;
      count += 1;
      this.#bytes -= entry.event.frame.raw.length;
      const { before, edits } = yield* release(entry, isMasked);
      frames.push(...before, { event: entry.event, edits });
    }
    this.#entries.splice(0, count);
    return frames;
  }

  /** Whether enough of the text behind an event is decided, or there is no more of it. */
  #isFollowed(at: number): boolean {
    let chars = 0;
    for (let next = at; next < this.#entries.length; next += 1) {
      const entry = this.#entries[next];
      if (entry === undefined || !entry.pieces.every(isSettled)) return false;
      if (entry.event.done === true) return true;
      if (next > at) for (const { from, to } of entry.pieces) chars += to - from;
      if (chars >= LEAD_CHARS) return true;
    }
    return false;
  }
}
