import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that can be put off: yields, between two steps of it, how many characters the last one read. */
export type Work<Result> = Generator<number, Result>;

/** Characters after which other requests get a turn; a step of a search reads at most as many. */
export const TURN_CHARS = 16_384;

/** Does a small piece of work at once, and a long one in turns of some milliseconds. */
export function inTurns<Result>(work: Work<Result>): Result | Promise<Result> {
  for (let chars = 0; chars <= TURN_CHARS;) {
    const step = work.next();
    if (step.done === true) return step.value;
    chars += step.value;
  }
  return goOn(work);
}

async function goOn<Result>(work: Work<Result>): Promise<Result> {
  for (;;) {
    await nextTurn();
    for (let chars = 0; chars <= TURN_CHARS;) {
      const step = work.next();
      if (step.done === true) return step.value;
      chars += step.value;
    }
  }
}

/** The pieces of a text, each as long as a step may be. */
export function* piecesOf(text: string): Generator<string, void> {
  if (text.length <= TURN_CHARS) {
    yield text;
    return;
  }
  for (let from = 0; from < text.length; from += TURN_CHARS) yield text.slice(from, from + TURN_CHARS);
}
