/**
 * Store operations of several checks, collected while the checks judge and sent together: all take effect, or none. A
 * check passes the batch to its store. Without a batch, or with another store's, a store answers at once.
 */
export interface Batch {
  /** Sends the operations; later ones are sent at once. */
  send(): void;
  /** Discards the operations; their callers get `BatchAborted`. */
  drop(): void;
}

/** An operation had no effect because another one of its batch was refused, which is reported there. */
export class BatchAborted extends Error {
  constructor() {
    super('another operation of the batch was refused');
    this.name = 'BatchAborted';
  }
}
