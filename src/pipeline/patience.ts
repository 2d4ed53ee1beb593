/** The edge's part in a check that waits for a person: it lets Envoy wait too, and knows when nobody does any more. */
export interface Patience {
  /** Begins the wait of an exchange; asked again it goes on with that one, whose end stays where it is. */
  begin(): Wait;
}

export interface Wait {
  /** Aborted once the client has left. */
  readonly gone: AbortSignal;
  /** By `performance.now()`. */
  readonly until: number;
}
