import type { Detector, StreamDetector } from './finding.ts';

/** Twice what any of these detectors finds at once, and what it looks back at. */
const TAIL_CHARS = 1024;

/**
 * A detector of short matches, from what finds them and from what says where the first one begins that the end of a
 * text leaves undecided.
 * @param openIn given the end of the text; its length where nothing is open
 */
export function createStreamDetector(find: Detector, openIn: (tail: string) => number): StreamDetector {
  return {
    find,
    openFrom(text) {
      const from = Math.max(0, text.length - TAIL_CHARS);
      const tail = text.slice(from);
      const open = openIn(tail);
      if (open === tail.length) return text.length;
      // A finding never reaches over what is decided.
      const over = find(tail).find(({ start, end }) => start < open && open < end);
      return from + (over?.start ?? open);
    },
  };
}
