/**
 * Interruptible work, driven by `runNow` or `inTurns`. Between steps it yields the number of characters that
 * the last step read, nothing if the step may have taken a millisecond or more, or `LONG_STEP`.
 */
export type Work<Result> = Generator<number | undefined, Result, void>;

/** Yielded around a step that may fill a turn, which then gets its own turn. */
export const LONG_STEP = Infinity;

/** Cost, in characters, of a small item that is not read through: a noted text, a list element. */
export const ITEM_CHARS = 16;

/** Limit for all tasks in one turn of the event loop. A step that has begun is finished. */
const TURN_MS = 8;

/** Maximum characters read in one turn, whatever the clock says. */
const TURN_CHARS = 32_768;

/** Characters read between two looks at the clock: at most a millisecond, even for hostile text. */
const LOOK_CHARS = 2_048;

/** Cost, in characters, of everything but reading. */
const ASK_CHARS = 32;

/** Characters read since the last look at the clock, by all tasks. */
let unlooked = 0;
/** Characters read in this turn, up to the last look. */
let turnChars = 0;
/** Time of this turn's first look at the clock; undefined in a new turn. */
let startedMs: number | undefined;
/** Tasks waiting for a turn, first come first served. */
const waiting: (() => void)[] = [];

/** Reports whether the caller should wait for the next turn, having read `chars` since the last call. */
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

/** Resolves in a turn of its own, so that new events wait for one slice of one text, however many are read at once. */
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

/** Runs short work at once and long work in turns. */
export function inTurns<Result>(work: Work<Result>): Awaitable<Result> {
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

const STEP_ITEMS = 256;

/** `map` in turns, for a list that may be very long. */
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

/** Work with one argument: run at once by a call, or in steps by `inSteps`. */
export interface Stepwise<Input, Result> {
  (input: Input): Result;
  /** Absent if the work is never long. */
  readonly inSteps?: (input: Input) => Work<Result>;
}

export function stepwise<Input, Result>(inSteps: (input: Input) => Work<Result>): Stepwise<Input, Result> {
  return Object.assign((input: Input) => runNow(inSteps(input)), { inSteps });
}

export function* stepsOf<Input, Result>(work: Stepwise<Input, Result>, input: Input): Work<Result> {
  return work.inSteps === undefined ? work(input) : yield* work.inSteps(input);
}
