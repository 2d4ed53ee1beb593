/** The result of one test. `error`: it could not run; `skip`: it is named `todo_`. */
export interface TestResult {
  readonly name: string;
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly outcome: 'pass' | 'fail' | 'error' | 'skip';
  /** Reason if it did not pass, with its position if that differs from the test's. */
  readonly detail?: string;
}
