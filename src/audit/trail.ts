import { GatewayError } from '../errors.ts';
import type { OcsfRecord } from './ocsf.ts';
import type { RecordQueue } from './record-queue.ts';

/** Time that a stopping process spends on writing what is left. */
const CLOSE_WITHIN_MS = 3_000;

/** Takes the records of one process. */
export interface AuditTrail {
  /** Queues a record. Never throws. */
  record(record: OcsfRecord): void;
  /** Records dropped since the start because the stream's queue was full. */
  losses(): number;
  /**
   * Resolves when everything recorded so far is in the Redis stream.
   * @param knownLosses value of `losses()` when the request began; a higher value now means its own record
   * may be lost
   * @throws GatewayError redis_unavailable
   */
  written(knownLosses: number): Promise<void>;
  close(): Promise<void>;
}

export interface TrailSinks {
  readonly stdout: ((line: string) => void) | undefined;
  readonly stream: RecordQueue;
  /** The file and receivers outside the gateway. */
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
    'the audit trail cannot be written: no request passes until it can',
  );
}
