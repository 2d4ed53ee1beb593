/**
 * Interruptible work, run by `runNow` or `inTurns`. After each step, it yields the number of characters read,
 * undefined if the step may have taken a millisecond or more, or `LONG_STEP`.
 */
export type Work<Result> = Generator<number | undefined, Result, void>;

/** Yielded before and after a step that may fill a whole turn. The step gets a separate turn. */
export const LONG_STEP = Infinity;

/** Cost in characters of a small item whose content is not read, such as an array element. */
export const ITEM_CHARS = 16;

/** Time limit for all tasks in one event-loop turn. Steps are not interrupted. */
const TURN_MS = 8;

/** Maximum number of characters read in one turn, regardless of the time. */
const TURN_CHARS = 32_768;

/** Number of characters between clock checks. Reading them takes at most a millisecond, even in hostile text. */
const CHECK_CHARS = 2_048;

/** Overhead of a step, in characters. */
const STEP_CHARS = 32;

/** Number of characters read by all tasks since the last clock check. */
let uncheckedChars = 0;
/** Number of characters read in this turn before the last clock check. */
let turnChars = 0;
/** Time of the first clock check in this turn; undefined in a new turn. */
let startedMs: number | undefined;
/** Tasks waiting for a turn, first come first served. */
const waiting: (() => void)[] = [];

/** Reports whether the caller should wait for the next turn, after reading `chars` characters since its last call. */
export function isTurnOver(chars: number = CHECK_CHARS): boolean {
  uncheckedChars += chars + STEP_CHARS;
  if (uncheckedChars < CHECK_CHARS) return false;
  turnChars += uncheckedChars;
  uncheckedChars = 0;
  if (startedMs !== undefined) return turnChars > TURN_CHARS || performance.now() - startedMs >= TURN_MS;
  startedMs = performance.now();
  setImmediate(endTurn);
  return turnChars > TURN_CHARS;
}

/** Resolves in a separate turn. New events wait for one slice only, however many texts are read concurrently. */
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

/** Known now, or after some turns. */
export type Awaitable<Result> = Result | Promise<Result>;

export function after<Result, Next>(
  result: Awaitable<Result>,
  next: (result: Result) => Awaitable<Next>,
): Awaitable<Next> {
  return result instanceof Promise ? result.then(next) : next(result);
}

export function runNow<Result>(work: Work<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Runs short work immediately and long work in turns. */
export function inTurns<Result>(work: Work<Result>): Awaitable<Result> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (isTurnOver(step.value)) return continueInTurns(work);
  }
}

async function continueInTurns<Result>(work: Work<Result>): Promise<Result> {
  for (;;) {
    await nextTurn();
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
      if (isTurnOver(step.value)) break;
    }
  }
}

/** Visits the items of a possibly long list in steps. `charsOf` returns the cost of an item in characters. */
export function* each<Item>(
  list: Iterable<Item>,
  visit: (item: Item) => void,
  charsOf: (item: Item) => number = () => ITEM_CHARS,
): Work<void> {
  let chars = 0;
  for (const item of list) {
    visit(item);
    chars += charsOf(item);
    if (chars < CHECK_CHARS) continue;
    yield chars;
    chars = 0;
  }
}

/** Like `map`, but in turns, for lists that may be very long. */
export async function mapInTurns<Item, Result>(
  list: readonly Item[],
  resultOf: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  await inTurns(each(list, (item) => results.push(resultOf(item, results.length))));
  return results;
}

/** Work with one argument. A direct call runs it at once, `inSteps` in steps. */
export interface Stepwise<Input, Result> {
  (input: Input): Result;
  /** Undefined if the work is never long. */
  readonly inSteps?: (input: Input) => Work<Result>;
}

export function stepwise<Input, Result>(inSteps: (input: Input) => Work<Result>): Stepwise<Input, Result> {
  return Object.assign((input: Input) => runNow(inSteps(input)), { inSteps });
}

export function changed<Input, Result, Changed>(
  work: Stepwise<Input, Result>,
  change: (result: Result, input: Input) => Changed,
): Stepwise<Input, Changed> {
  return stepwise(function* (input: Input): Work<Changed> {
    return change(yield* stepsOf(work, input), input);
  });
}

export function* stepsOf<Input, Result>(work: Stepwise<Input, Result>, input: Input): Work<Result> {
  return work.inSteps === undefined ? work(input) : yield* work.inSteps(input);
}
