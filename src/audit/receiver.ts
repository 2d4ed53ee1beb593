/** Records that the receiver will never accept. */
export interface Rejected {
  readonly records: number;
  readonly cause: Error;
}

export interface AuditReceiver {
  /**
   * Sends a batch. Resolves with the rejected records.
   * @throws Error if the batch should be sent again
   */
  send(lines: readonly string[]): Promise<Rejected | undefined>;
  /** @throws Error with the reason why records cannot be sent now */
  probe(): Promise<void>;
  close(): void;
}

export const SEND_WITHIN_MS = 5_000;

/** @throws Error after `SEND_WITHIN_MS` */
export function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no answer within ${String(SEND_WITHIN_MS / 1_000)} s`)),
      SEND_WITHIN_MS,
    );
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
