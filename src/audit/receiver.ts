/** Records that a receiver refused for good. */
export interface Rejected {
  readonly records: number;
  readonly cause: Error;
}

/** A receiver of records outside the gateway: a collector or a SIEM. */
export interface AuditReceiver {
  /**
   * Sends a batch. Resolves with the records that the receiver will never accept.
   * @throws Error if the batch should be sent again
   */
  send(lines: readonly string[]): Promise<Rejected | undefined>;
  /** Checks that records could be sent now. @throws Error with the reason */
  probe(): Promise<void>;
  close(): void;
}

/** Limit of one attempt to send a batch. */
export const SEND_WITHIN_MS = 5_000;
