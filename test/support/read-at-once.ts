import { readingOf, type ReadBody } from '../../src/answers/read-answer.ts';
import { atOnce } from './at-once.ts';

/** A whole answer's body, read in one turn. */
export function readAtOnce(body: Buffer): ReadBody {
  return atOnce(readingOf(body));
}
