import type { RewrittenFrame } from '../../../pipeline/check.ts';
import { mayLeave, release } from './stream-entry.ts';
import type { Released, StreamEntry } from './stream-entry.ts';
import { tooMuchHeld } from '../scan/too-much-held.ts';

const MAX_EVENTS = 4096;
/** Twice what a frame may have. */
const MAX_BYTES = 8_388_608;

/** Events in the order in which they are sent: one that waits keeps those behind it. Bounded. */
export class StreamQueue {
  #entries: StreamEntry[] = [];
  #bytes = 0;

  /**
   * Adds an event, and gives what may leave: others before it, and its own edits unless it is held.
   * @throws GatewayError upstream_unavailable where too much waits
   */
  add(entry: StreamEntry): Released & { readonly isHeld: boolean } {
    if (this.#entries.length === 0 && mayLeave(entry)) return { ...release(entry), isHeld: false };
    this.#entries.push(entry);
    this.#bytes += entry.event.frame.raw.length;
    const before = this.release();
    const last = before.at(-1);
    if (last?.event === entry.event && last.copy !== true) {
      return { before: before.slice(0, -1), edits: last.edits, isHeld: false };
    }
    if (this.#entries.length > MAX_EVENTS || this.#bytes > MAX_BYTES) throw tooMuchHeld();
    return { before, edits: [], isHeld: true };
  }

  /** The events that wait for nothing, in order. */
  release(): readonly RewrittenFrame[] {
    const frames: RewrittenFrame[] = [];
    let count = 0;
    for (const entry of this.#entries) {
      if (!mayLeave(entry)) break;
      count += 1;
      this.#bytes -= entry.event.frame.raw.length;
      const { before, edits } = release(entry);
      frames.push(...before, { event: entry.event, edits });
    }
    this.#entries.splice(0, count);
    return frames;
  }
}
