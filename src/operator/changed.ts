import type { OperatorChange } from '../audit/operator-record.ts';

/** A change that was made, with its record for the audit trail; without one, nothing was to be changed. */
export interface Changed<Result> {
  readonly result: Result;
  readonly record?: OperatorChange | undefined;
}
