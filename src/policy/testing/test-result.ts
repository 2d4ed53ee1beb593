/** `error`: the test could not run; `skip`: it is named `todo_`. */
export interface TestResult {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly outcome: 'pass' | 'fail' | 'error' | 'skip';
  /** Why it did not pass, with the position unless that is the test's. */
  readonly detail?: string;
}
