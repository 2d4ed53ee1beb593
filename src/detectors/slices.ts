import type { Span } from '../text/span.ts';

/** UTF-16 units from one slice's start to the next one's; a slice is what may be read in one turn (`turns.ts`). */
const STEP = 24_576;

/** How far slices overlap: what is longer than this may be found in parts. */
const OVERLAP = 8192;

/** Units around a finding that its slice must hold for it to count, because a cut may make or unmake a match. */
const MARGIN = 512;

export interface Slice extends Span {
  /** Whether a finding, by its offsets in the slice, is this slice's to judge; of a neighbour's share the neighbour sees more. */
  readonly judges: (finding: Span) => boolean;
}

const always = (): boolean => true;

/** Whether a text is one slice: then whatever is found in it counts. */
export const isOneSlice = (text: string): boolean => text.length <= STEP + OVERLAP;

/** Cuts a long text into slices that overlap; a short one stays whole. */
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
