import { createSearchId, type CleanRecord, type SearchId } from '../clean-texts.ts';
import type { DetectorName } from './finding.ts';
import { isOneSlice } from './slices.ts';

function createSearches(): (detector: DetectorName) => SearchId {
  const ids = new Map<DetectorName, SearchId>();
  return (detector) => {
    const id = ids.get(detector) ?? createSearchId();
    ids.set(detector, id);
    return id;
  };
}

const whole = createSearches();
/** For longer texts, which all searches split into the same slices. */
const inSlices = createSearches();

/**
 * Records that a detector finds nothing in a text of one slice, so that other checks need not run it again. Ignores
 * longer texts.
 */
export function noteNothing(text: string, known: CleanRecord | undefined, detector: DetectorName): void {
  if (isOneSlice(text)) known?.markClean(whole(detector));
}

export function findsNothing(known: CleanRecord | undefined, detector: DetectorName): boolean {
  return known?.isClean(whole(detector)) === true;
}

export function noteNothingInSlices(
  text: string,
  known: CleanRecord | undefined,
  detector: DetectorName,
): void {
  if (isOneSlice(text)) noteNothing(text, known, detector);
  else known?.markClean(inSlices(detector));
}

export function findsNothingInSlices(known: CleanRecord | undefined, detector: DetectorName): boolean {
  return findsNothing(known, detector) || known?.isClean(inSlices(detector)) === true;
}
