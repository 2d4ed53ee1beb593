import type { OperatorChange } from '../audit/operator-record.ts';

/** A change with its audit record, which is undefined if nothing was changed or the API has recorded the change. */
export interface Changed<Result> {
  readonly result: Result;
  readonly record?: OperatorChange | undefined;
}

/** Thrown if the current state does not allow a change. The message is for the operator. */
export class ChangeRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ChangeRefused';
  }
}
