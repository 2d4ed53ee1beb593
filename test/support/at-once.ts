/** Runs sliced work to its end without a pause. */
export function atOnce<Result>(work: Generator<unknown, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
