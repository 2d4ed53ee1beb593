import type { Detector, StreamDetector } from './finding.ts';

/** Enough for twice the longest match and the look-behind. */
const TAIL_CHARS = 1024;

/** @param openIn returns the start of the first undecided match in the tail, or the tail length */
export function createStreamDetector(find: Detector, openIn: (tail: string) => number): StreamDetector {
  return {
    find,
    openFrom(text) {
      const from = Math.max(0, text.length - TAIL_CHARS);
      const tail = text.slice(from);
      const open = openIn(tail);
      if (open === tail.length) return text.length;
      // A finding must not cross the end of the decided part.
      const over = find(tail).find(({ start, end }) => start < open && open < end);
      return from + (over?.start ?? open);
    },
  };
}
