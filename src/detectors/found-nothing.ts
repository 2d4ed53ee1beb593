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
/** Of longer texts, which were searched slice by slice (slices.ts): whoever cuts them in the same way finds the same. */
const IN_SLICES = createQuestions();

/**
 * Notes that a detector finds nothing in a text as it stands: others who run it need not. Emails at any host count. A text
 * of one slice every search takes whole, and so finds the same in it.
 */
export function noteNothing(text: string, known: KnownText | undefined, detector: DetectorName): void {
  if (isOneSlice(text)) known?.note(WHOLE[detector]);
}

export function findsNothing(known: KnownText | undefined, detector: DetectorName): boolean {
  return known?.hasNothing(WHOLE[detector]) === true;
}

/** The same of a detector that was run on each slice of the text, however long that is. */
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
