import { createQuestion, type KnownText, type Question } from '../known-texts.ts';
import type { DetectorName } from './finding.ts';

/** So much of a text every search takes in one step: what one finds in it, all do. */
const ONE_PIECE_CHARS = 4_096;

const QUESTIONS: Readonly<Record<DetectorName, Question>> = {
  secrets: createQuestion(),
  email: createQuestion(),
  card: createQuestion(),
  ssn: createQuestion(),
  phone: createQuestion(),
  network: createQuestion(),
  prompt_injection: createQuestion(),
  sql_injection: createQuestion(),
  path_traversal: createQuestion(),
  cvv: createQuestion(),
};

/** Notes that a detector finds nothing in a text as it stands: others who run it need not. Emails at any host count. */
export function noteNothing(text: string, known: KnownText | undefined, detector: DetectorName): void {
  if (text.length <= ONE_PIECE_CHARS) known?.note(QUESTIONS[detector]);
}

export function findsNothing(known: KnownText | undefined, detector: DetectorName): boolean {
  return known?.hasNothing(QUESTIONS[detector]) === true;
}
