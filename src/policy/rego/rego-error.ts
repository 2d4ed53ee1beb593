/** One error of a Rego file. Row and column count from 1; absent without a position. */
export interface RegoFailure {
  /** OPA's own code, such as `rego_parse_error`. */
  readonly code: string;
  readonly message: string;
  readonly file?: string;
  readonly row?: number;
  readonly column?: number;
}

/** Invalid Rego files, with every error that OPA found. */
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
 * Reasons for an input without a judgement. `failed`: the policy threw or ran out of time; `hung`: it had to be
 * terminated; `died`: the engine broke (out of memory or stack); `busy`: too many wait; `closed`: the set was retired.
 */
export type RegoTrouble = 'failed' | 'hung' | 'died' | 'busy' | 'closed';

/** An input that was not judged and must not pass. The message may quote the policy, never the input. */
export class RegoEvaluationError extends Error {
  readonly trouble: RegoTrouble;

  constructor(trouble: RegoTrouble, message: string) {
    super(message);
    this.name = 'RegoEvaluationError';
    this.trouble = trouble;
  }

  /** A retry may succeed. */
  get isBusy(): boolean {
    return this.trouble === 'busy' || this.trouble === 'closed';
  }
}
