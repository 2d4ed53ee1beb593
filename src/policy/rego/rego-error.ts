/** An error in a Rego file. `row` and `column` start at 1, and are absent if the position is unknown. */
export interface RegoFailure {
  /** OPA's own code, such as `rego_parse_error`. */
  readonly code: string;
  readonly message: string;
  readonly file?: string;
  readonly row?: number;
  readonly column?: number;
}

export class RegoFilesError extends Error {
  readonly failures: readonly RegoFailure[];

  constructor(failures: readonly RegoFailure[]) {
    super(failures.map(shownFailure).join('\n'));
    this.name = 'RegoFilesError';
    this.failures = failures;
  }
}

export function shownFailure({ file, row, column, message }: RegoFailure): string {
  if (file === undefined) return message;
  return row === undefined ? `${file}: ${message}` : `${file}:${row}:${column ?? 1}: ${message}`;
}

/**
 * Why an input was not judged. `failed`: the policy threw or ran out of time; `hung`: it had to be terminated; `died`:
 * the engine broke (out of memory or stack); `busy`: too many inputs are waiting, or the engine is restarting;
 * `closed`: the set was retired.
 */
export type RegoTrouble = 'failed' | 'hung' | 'died' | 'busy' | 'closed';

/** Thrown for an input that was not judged and must not pass. The message may quote the policy, but never the input. */
export class RegoEvaluationError extends Error {
  readonly trouble: RegoTrouble;

  constructor(trouble: RegoTrouble, message: string) {
    super(message);
    this.name = 'RegoEvaluationError';
    this.trouble = trouble;
  }

  /** Whether a retry may succeed. */
  get isBusy(): boolean {
    return this.trouble === 'busy' || this.trouble === 'closed';
  }
}
