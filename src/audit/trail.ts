import { GatewayError } from '../errors.ts';
import type { OcsfRecord } from './ocsf.ts';
import type { RecordQueue } from './record-queue.ts';

/** How long the end of a process waits for what is not written yet. */
const CLOSE_WITHIN_MS = 3_000;

/** Where the records of one process go. */
export interface AuditTrail {
  /** Never throws, and is not waited for. */
  record(record: OcsfRecord): void;
  /** Records that the queue of the stream had no room for, since the start. */
  losses(): number;
  /**
   * Resolves once all that was recorded so far stands in the Redis stream.
   * @param knownLosses that there were when a request began: one more may have been its own
   * @throws GatewayError redis_unavailable
   */
  written(knownLosses: number): Promise<void>;
  close(): Promise<void>;
}

export interface TrailSinks {
  /** `audit.stdout`. */
  readonly stdout: ((line: string) => void) | undefined;
  readonly stream: RecordQueue;
  /** `audit.file`. */
  readonly file: RecordQueue | undefined;
}

export function createTrail({ stdout, stream, file }: TrailSinks): AuditTrail {
  let losses = 0;
  return {
    record(record) {
      const line = JSON.stringify(record);
      stdout?.(line);
      file?.add(line);
      if (!stream.add(line)) losses += 1;
    },
    losses: () => losses,
    async written(knownLosses) {
      const isMissing = losses > knownLosses;
      await stream.written();
      if (isMissing) throw notRecorded();
    },
    async close() {
      await Promise.all([stream.close(CLOSE_WITHIN_MS), file?.close(CLOSE_WITHIN_MS)]);
    },
  };
}

function notRecorded(): GatewayError {
  return new GatewayError(
    'redis_unavailable',
    'the audit trail cannot be written: no request passes until it can',
  );
}
