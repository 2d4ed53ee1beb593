/**
 * Work that can be put off, written once and driven in two ways: `runNow` and `inTurns`. It yields between two steps,
 * and tells how many characters the last one read; nothing where it may have taken a millisecond or more, or
 * `LONG_STEP`.
 */
export type Work<Result> = Generator<number | undefined, Result, void>;

/** Yielded around a step that may fill a turn: it is done in one of its own. */
export const LONG_STEP = Infinity;

/** What a small part costs that is looked at and not read through, in characters: a text that is noted, a list's element. */
export const ITEM_CHARS = 16;

/** Longest that is worked on in one turn of the event loop, however many work in it; a step that has begun is ended. */
const TURN_MS = 8;

/** Characters that are read in one turn at most, however fast: a turn is not the place to find out how fast. */
const TURN_CHARS = 32_768;

/** Characters that are read before the clock is looked at: the most hostile take a millisecond. */
const LOOK_CHARS = 2_048;

/** What is not reading counts as so many. */
const ASK_CHARS = 32;

/** Read since the last look, by whomever. */
let unlooked = 0;
/** Read in this turn, up to the last look. */
let turnChars = 0;
/** When the turn began, as far as is known: when the clock was looked at first. Undefined in a new turn. */
let startedMs: number | undefined;
/** Who waits for a turn, first come first served. */
const waiting: (() => void)[] = [];

/**
 * Whether whoever works should let others have a turn, and wait for the next.
 * @param chars what was read since this was asked last
 */
export function isTurnOver(chars: number = LOOK_CHARS): boolean {
  unlooked += chars + ASK_CHARS;
  if (unlooked < LOOK_CHARS) return false;
  turnChars += unlooked;
  unlooked = 0;
  if (startedMs !== undefined) return turnChars > TURN_CHARS || performance.now() - startedMs >= TURN_MS;
  startedMs = performance.now();
  setImmediate(endTurn);
  return turnChars > TURN_CHARS;
}

/**
 * Resolves in a turn of the event loop that nobody else who asks here gets: however many long texts are read at once,
 * what arrives meanwhile waits for one slice of one of them, not for a slice of each.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  turnChars = 0;
  startedMs = performance.now();
  waiting.shift()?.();
  setImmediate(waiting.length > 0 ? giveTurn : endTurn);
}

function endTurn(): void {
  turnChars = 0;
  startedMs = undefined;
}

/** Does all of a piece of work at once. */
export function runNow<Result>(work: Work<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Does a small piece of work at once, and a long one in turns. */
export function inTurns<Result>(work: Work<Result>): Result | Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (isTurnOver(step.value)) return goOn(work);
  }
}

async function goOn<Result>(work: Work<Result>): Promise<Result> {
  for (;;) {
    await nextTurn();
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
      if (isTurnOver(step.value)) break;
    }
  }
}

/** Elements of a list after which it is asked whether the turn is over. */
const STEP_ITEMS = 256;

/** `map` of a list that may be very long, with turns for others. */
export async function mapInTurns<Item, Result>(
  list: readonly Item[],
  resultOf: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of list) {
    const index = results.length;
    if (index % STEP_ITEMS === 0 && isTurnOver(STEP_ITEMS * ITEM_CHARS)) await nextTurn();
    results.push(resultOf(item, index));
  }
  return results;
}

/** Work of one argument: called, it is done at once; `inSteps` gives it to whoever drives it. */
export interface Stepwise<Input, Result> {
  (input: Input): Result;
  /** Absent where it never is long. */
  readonly inSteps?: (input: Input) => Work<Result>;
}

export function stepwise<Input, Result>(inSteps: (input: Input) => Work<Result>): Stepwise<Input, Result> {
  return Object.assign((input: Input) => runNow(inSteps(input)), { inSteps });
}

export function* stepsOf<Input, Result>(work: Stepwise<Input, Result>, input: Input): Work<Result> {
  return work.inSteps === undefined ? work(input) : yield* work.inSteps(input);
}
