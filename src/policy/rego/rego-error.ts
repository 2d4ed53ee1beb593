/** One error of a Rego file. Row and column count from 1; absent where the error has no place. */
export interface RegoFailure {
  /** OPA's own code, such as `rego_parse_error`. */
  readonly code: string;
  readonly message: string;
  readonly file?: string;
  readonly row?: number;
  readonly column?: number;
}

/** Files that make no policy set: every error that OPA found in them. */
export class RegoFilesError extends Error {
  readonly failures: readonly RegoFailure[];

  constructor(failures: readonly RegoFailure[]) {
    super(failures.map(shownFailure).join('\n'));
    this.name = 'RegoFilesError';
    this.failures = failures;
  }
}

/** File, row, column and what is wrong. */
export function shownFailure({ file, row, column, message }: RegoFailure): string {
  if (file === undefined) return message;
  return row === undefined ? `${file}: ${message}` : `${file}:${row}:${column ?? 1}: ${message}`;
}

/**
 * Why an input was not judged. `failed`: the policy threw, or ran out of its time where it could be asked to stop;
 * `hung`: it had to be ended; `died`: the engine broke off (out of memory, out of stack); `busy`: too many wait;
 * `closed`: the set was taken out of use.
 */
export type RegoTrouble = 'failed' | 'hung' | 'died' | 'busy' | 'closed';

/** An input that was not judged and must not pass: `isBusy` says whether a repeat may be judged. The message may quote the policy, never the input. */
export class RegoEvaluationError extends Error {
  readonly trouble: RegoTrouble;

  constructor(trouble: RegoTrouble, message: string) {
    super(message);
    this.name = 'RegoEvaluationError';
    this.trouble = trouble;
  }

  /** The input was not looked at: other work was ahead of it. */
  get isBusy(): boolean {
    return this.trouble === 'busy' || this.trouble === 'closed';
  }
}
