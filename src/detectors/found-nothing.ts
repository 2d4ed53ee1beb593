import { createSearchId, type CleanRecord, type SearchId } from '../clean-texts.ts';
import type { DetectorName } from './finding.ts';
import { isOneSlice } from './slices.ts';

type Questions = Readonly<Record<DetectorName, SearchId>>;

function createQuestions(): Questions {
  return {
    secrets: createSearchId(),
    email: createSearchId(),
    card: createSearchId(),
    ssn: createSearchId(),
    phone: createSearchId(),
    network: createSearchId(),
    credentials: createSearchId(),
    iban: createSearchId(),
    wallet_key: createSearchId(),
    seed_phrase: createSearchId(),
    prompt_injection: createSearchId(),
    injection_learned: createSearchId(),
    sql_injection: createSearchId(),
    path_traversal: createSearchId(),
    path_climb: createSearchId(),
    cvv: createSearchId(),
  };
}

const WHOLE = createQuestions();
/** For longer texts. Every search cuts the same slices (slices.ts), and so agrees. */
const IN_SLICES = createQuestions();

/** Records that a detector finds nothing in a text, so that others need not run it. */
export function noteNothing(text: string, known: CleanRecord | undefined, detector: DetectorName): void {
  if (isOneSlice(text)) known?.markClean(WHOLE[detector]);
}

export function findsNothing(known: CleanRecord | undefined, detector: DetectorName): boolean {
  return known?.isClean(WHOLE[detector]) === true;
}

/** The same for a detector that ran on each slice of a text of any length. */
export function noteNothingInSlices(
  text: string,
  known: CleanRecord | undefined,
  detector: DetectorName,
): void {
  if (isOneSlice(text)) noteNothing(text, known, detector);
  else known?.markClean(IN_SLICES[detector]);
}

export function findsNothingInSlices(known: CleanRecord | undefined, detector: DetectorName): boolean {
  return findsNothing(known, detector) || known?.isClean(IN_SLICES[detector]) === true;
}
