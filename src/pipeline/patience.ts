/** Lets a check wait for an approval. Envoy's timeout is extended, and the client may disconnect in the meantime. */
export interface Patience {
  /** Starts the wait; later calls return the same one. */
  begin(): Wait;
}

export interface Wait {
  /** Aborted when the client has disconnected. */
  readonly gone: AbortSignal;
  /** By `performance.now()`. */
  readonly until: number;
}
