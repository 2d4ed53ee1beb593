import type { Answer } from '../pipeline/exchange.ts';
import { createWrittenText } from './written-text.ts';

/** An answer of which nothing is known yet. */
export function newAnswer(): Answer {
  return {
    whole: undefined,
    facts: undefined,
    usage: undefined,
    written: createWrittenText(),
    complete: false,
  };
}
