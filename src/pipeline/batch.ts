/**
 * Store operations of several checks, collected while the checks judge and sent together; either all or none take
 * effect. A check passes the batch to its store. Without a batch, or with a batch for another kind of store, the store
 * runs operations immediately.
 */
export interface Batch {
  /** Sends the collected operations. Later ones are sent immediately. */
  send(): void;
  /** Drops the collected operations, whose callers get `BatchAborted`. */
  drop(): void;
}

/** Thrown for an operation that had no effect because another operation in its batch was refused. */
export class BatchAborted extends Error {
  constructor() {
    super('another operation in the batch was refused');
    this.name = 'BatchAborted';
  }
}
