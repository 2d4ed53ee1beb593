import type { OperatorChange } from '../audit/operator-record.ts';

/** A change with its audit record; without a record, nothing had to be changed. */
export interface Changed<Result> {
  readonly result: Result;
  readonly record?: OperatorChange | undefined;
}
