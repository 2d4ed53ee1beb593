import type { Span } from '../text/span.ts';

/** Distance between slice starts, in UTF-16 code units. */
const STEP = 24_576;

/** Slice overlap. Longer matches may be found in parts. */
const OVERLAP = 8192;

/** Context that a slice must contain around a finding, because a slice boundary may create or break a match. */
const MARGIN = 512;

export interface Slice extends Span {
  /** Returns false if an adjacent slice has more context for a finding and reports it instead. */
  readonly judges: (finding: Span) => boolean;
}

const always = (): boolean => true;

export const isOneSlice = (text: string): boolean => text.length <= STEP + OVERLAP;

export function slicesOf(text: string): readonly Slice[] {
  if (isOneSlice(text)) return [{ start: 0, end: text.length, judges: always }];
  const count = Math.ceil((text.length - OVERLAP) / STEP);
  return Array.from({ length: count }, (_, index) => {
    const start = index * STEP;
    const isLast = index === count - 1;
    const end = isLast ? text.length : start + STEP + OVERLAP;
    return {
      start,
      end,
      judges: (finding: Span) => {
        const isBeforeMine = index > 0 && finding.start < MARGIN && finding.end <= OVERLAP;
        const isNextOnes = !isLast && finding.end > STEP + OVERLAP - MARGIN && finding.start >= STEP + MARGIN;
        return !isBeforeMine && !isNextOnes;
      },
    };
  });
}
