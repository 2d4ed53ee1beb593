import type { Span } from '../text/span.ts';
import { LOOK_BEHIND_CHARS, type Detector, type Finding, type StreamDetector } from './finding.ts';

/**
 * Removes overlaps from spans: each keeps what no earlier one covers, and of those that begin together the
 * longest comes first. Returns them in order of `start`. Only spans within one span length influence each
 * other.
 * @param covered end of earlier spans that are not in the list
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

/** Returns the offset, or the start of the first span that crosses it. */
export function startOfWhatReachesOver(found: readonly Span[], offset: number): number {
  let least = offset;
  for (let over = found; over.length > 0;) {
    over = found.filter(({ start, end }) => start < least && least < end);
    least = Math.min(least, ...over.map(({ start }) => start));
  }
  return least;
}

/** Combines several detectors: findings in order of `start`, without overlaps. */
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
 * Creates a stream detector from one that cannot tell what is undecided: a fixed tail is always held back
 * (docs/dlp.md). A longer match is found once it is complete, but its beginning may have left unmasked by
 * then.
 */
export function holdingBack(find: Detector): StreamDetector {
  return {
    find,
    openFrom: (text) => startOfWhatReachesOver(find(text), Math.max(0, text.length - LOOK_BEHIND_CHARS)),
  };
}
