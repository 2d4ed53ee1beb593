import { readingOf, type ReadBody } from '../../src/pipeline/whole-answer.ts';

/** A whole answer's body, read in one turn. */
export function readAtOnce(body: Buffer): ReadBody {
  const reading = readingOf(body);
  for (;;) {
    const step = reading.next();
    if (step.done === true) return step.value;
  }
}
