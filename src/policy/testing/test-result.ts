/** What became of one test. `error`: it could not be carried out; `skip`: it is named `todo_`. */
export interface TestResult {
  readonly name: string;
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly outcome: 'pass' | 'fail' | 'error' | 'skip';
  /** Why, where it did not pass; the place is named where it is another than the test's. */
  readonly detail?: string;
}
