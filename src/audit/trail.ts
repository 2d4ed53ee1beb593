import { GatewayError } from '../errors.ts';
import type { OcsfRecord } from './ocsf.ts';
import type { RecordQueue } from './record-queue.ts';

const CLOSE_WITHIN_MS = 3_000;

export interface AuditTrail {
  /** Does not wait for the sinks. A sink whose queue is full loses the record. */
  record(record: OcsfRecord): void;
  /** Returns the number of records dropped because the stream queue was full. */
  losses(): number;
  /**
   * Resolves when all records so far are in the Redis stream.
   * @param knownLosses `losses()` when the request began; if it is higher now, a record of the request may be lost
   * @throws GatewayError redis_unavailable
   */
  written(knownLosses: number): Promise<void>;
  close(): Promise<void>;
}

export interface TrailSinks {
  readonly stdout: ((line: string) => void) | undefined;
  readonly stream: RecordQueue;
  /** Queues of the file and the receivers. */
  readonly others: readonly RecordQueue[];
}

export function createTrail({ stdout, stream, others }: TrailSinks): AuditTrail {
  let losses = 0;
  return {
    record(record) {
      const line = JSON.stringify(record);
      stdout?.(line);
      for (const other of others) other.add(line);
      if (!stream.add(line)) losses += 1;
    },
    losses: () => losses,
    async written(knownLosses) {
      const isMissing = losses > knownLosses;
      await stream.written();
      if (isMissing) throw notRecorded();
    },
    async close() {
      await Promise.all([stream, ...others].map((queue) => queue.close(CLOSE_WITHIN_MS)));
    },
  };
}

function notRecorded(): GatewayError {
  return new GatewayError(
    'redis_unavailable',
    'the audit trail cannot be written: requests are refused until it works again',
  );
}
