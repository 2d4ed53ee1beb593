import { createQuestion, type KnownText, type TextQuestion } from '../known-texts.ts';
import type { DetectorName } from './finding.ts';
import { isOneSlice } from './slices.ts';

type Questions = Readonly<Record<DetectorName, TextQuestion>>;

function createQuestions(): Questions {
  return {
    secrets: createQuestion(),
    email: createQuestion(),
    card: createQuestion(),
    ssn: createQuestion(),
    phone: createQuestion(),
    network: createQuestion(),
    credentials: createQuestion(),
    iban: createQuestion(),
    wallet_key: createQuestion(),
    seed_phrase: createQuestion(),
    prompt_injection: createQuestion(),
    injection_learned: createQuestion(),
    sql_injection: createQuestion(),
    path_traversal: createQuestion(),
    path_climb: createQuestion(),
    cvv: createQuestion(),
  };
}

const WHOLE = createQuestions();
/** For longer texts searched in slices (slices.ts); the same slicing gives the same result. */
const IN_SLICES = createQuestions();

/**
 * Records that a detector finds nothing in a text, so that others need not run it. Emails of any host count.
 * Every search reads a one-slice text whole, and so agrees.
 */
export function noteNothing(text: string, known: KnownText | undefined, detector: DetectorName): void {
  if (isOneSlice(text)) known?.note(WHOLE[detector]);
}

export function findsNothing(known: KnownText | undefined, detector: DetectorName): boolean {
  return known?.hasNothing(WHOLE[detector]) === true;
}

/** The same for a detector that ran on each slice of a text of any length. */
export function noteNothingInSlices(
  text: string,
  known: KnownText | undefined,
  detector: DetectorName,
): void {
  if (isOneSlice(text)) noteNothing(text, known, detector);
  else known?.note(IN_SLICES[detector]);
}

export function findsNothingInSlices(known: KnownText | undefined, detector: DetectorName): boolean {
  return findsNothing(known, detector) || known?.hasNothing(IN_SLICES[detector]) === true;
}
