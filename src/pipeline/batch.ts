/**
 * Store operations of several checks, collected while the checks judge and sent together: either all take effect, or
 * none. A check passes the batch to its store. Without a batch, or with the batch of another kind of store, a store
 * runs operations immediately.
 */
export interface Batch {
  /** Sends the operations. Later ones are sent immediately. */
  send(): void;
  /** Discards the operations. Their callers get `BatchAborted`. */
  drop(): void;
}

/** Thrown for an operation that had no effect because another operation in its batch was refused. */
export class BatchAborted extends Error {
  constructor() {
    super('another operation of the batch was refused');
    this.name = 'BatchAborted';
  }
}
