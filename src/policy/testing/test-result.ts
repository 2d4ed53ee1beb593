/** `error`: the test could not run; `skip`: its name begins with `todo_`. */
export interface TestResult {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly outcome: 'pass' | 'fail' | 'error' | 'skip';
  /** Why the test did not pass. Contains the position if it differs from the test's. */
  readonly detail?: string;
}
