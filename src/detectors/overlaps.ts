import type { Span } from '../text/span.ts';
import { LOOK_BEHIND_CHARS, type Detector, type Finding, type StreamDetector } from './finding.ts';

/**
 * Returns the spans ordered by `start` (longest first), each reduced to the part that no earlier span covers.
 * @param covered end of earlier spans that are not in `spans`
 */
export function withoutOverlaps<Spanned extends Span>(
  spans: readonly Spanned[],
  covered = 0,
): readonly Spanned[] {
  if (spans.length === 0) return spans;
  let reached = covered;
  return spans
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
    .flatMap((span) => {
      const start = Math.max(span.start, reached);
      if (start >= span.end) return [];
      reached = span.end;
      return start === span.start ? [span] : [{ ...span, start }];
    });
}

/** Moves `offset` back until no span crosses it. */
export function startOfCrossing(found: readonly Span[], offset: number): number {
  let least = offset;
  for (let over = found; over.length > 0;) {
    over = found.filter(({ start, end }) => start < least && least < end);
    least = Math.min(least, ...over.map(({ start }) => start));
  }
  return least;
}

/** Combines detectors. Findings are ordered by `start` and do not overlap. */
export function asOneDetector(detectors: readonly StreamDetector[]): StreamDetector {
  const findEach = (text: string): readonly Finding[] => detectors.flatMap(({ find }) => find(text));
  return {
    find(text) {
      const found = findEach(text);
      return found.length < 2 ? found : withoutOverlaps(found);
    },
    openFrom(text) {
      const open = Math.min(text.length, ...detectors.map(({ openFrom }) => openFrom(text)));
      return open === text.length ? open : startOfCrossing(findEach(text), open);
    },
  };
}

/**
 * Wraps a detector to hold back a fixed tail (docs/dlp.md). The start of a longer match may already have been sent
 * unmasked.
 */
export function holdingBack(find: Detector): StreamDetector {
  return {
    find,
    openFrom: (text) => startOfCrossing(find(text), Math.max(0, text.length - LOOK_BEHIND_CHARS)),
  };
}
