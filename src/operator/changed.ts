import type { OperatorChange } from '../audit/operator-record.ts';

/** Result of a change with its audit record, which is undefined if nothing had to be changed. */
export interface Changed<Result> {
  readonly result: Result;
  readonly record?: OperatorChange | undefined;
}

/** A change that the current state does not allow, with a message for the operator. */
export class ChangeRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ChangeRefused';
  }
}
