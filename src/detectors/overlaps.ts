import type { Span } from '../text/span.ts';
import { LOOK_BEHIND_CHARS, type Detector, type Finding, type StreamDetector } from './finding.ts';

/**
 * Spans in order of `start`, of which none overlaps another: each keeps what no earlier one covers; of those that
 * begin together the longest comes first. What becomes of a span depends on nothing further away than spans are long.
 * @param covered where earlier spans, which are none of these, have ended
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

/** The offset, or where the first of those begins that reach over it. */
export function startOfWhatReachesOver(found: readonly Span[], offset: number): number {
  let least = offset;
  for (let over = found; over.length > 0;) {
    over = found.filter(({ start, end }) => start < least && least < end);
    least = Math.min(least, ...over.map(({ start }) => start));
  }
  return least;
}

/** Several detectors as one: findings in order of `start`, of which none overlaps another. */
export function asOneDetector(detectors: readonly StreamDetector[]): StreamDetector {
  const find: Detector = (text) => {
    const found = detectors.flatMap((one) => one.find(text));
    return found.length < 2 ? found : withoutOverlaps(found);
  };
  const findEach = (text: string): readonly Finding[] => detectors.flatMap((one) => one.find(text));
  return {
    find,
    openFrom(text) {
      const open = Math.min(text.length, ...detectors.map(({ openFrom }) => openFrom(text)));
      return open === text.length ? open : startOfWhatReachesOver(findEach(text), open);
    },
  };
}

/**
 * A stream detector out of one that cannot say what the end of a text leaves undecided: so much is always held back
 * (docs/dlp.md). A match that is longer is found once it is there, and what had left of it
 * by then is past masking.
 */
export function holdingBack(find: Detector): StreamDetector {
  return {
    find,
    openFrom: (text) => startOfWhatReachesOver(find(text), Math.max(0, text.length - LOOK_BEHIND_CHARS)),
  };
}
