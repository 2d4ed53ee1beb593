import type { Batch } from '../../pipeline/batch.ts';
import type { SessionName } from '../../conversation/session-name.ts';
import type { SimHash } from '../../text/simhash.ts';

export interface RecentCall {
  readonly ageMs: number;
  readonly fingerprint: SimHash;
}

export interface RecentCalls {
  readonly calls: readonly RecentCall[];
  /** Identifies the newest stored call; empty without calls. */
  readonly last: string;
}

export interface LoopMemory {
  readonly keepMs: number;
  /** Beyond this, the oldest calls are evicted. */
  readonly maxCalls: number;
}

/** At most `limit` arrivals in `windowMs`, counted separately per name. */
export interface ArrivalLimit {
  /** `rps`, or `repeats/` followed by a hash. */
  readonly name: string;
  readonly windowMs: number;
  readonly limit: number;
}

/** Stores each session's recent calls. Changes are idempotent by operation id. */
export interface LoopStore {
  readCalls(session: SessionName, memory: LoopMemory): Promise<RecentCalls>;
  /** Returns false and skips the rest of the batch if another call has since been answered, or calls have expired. */
  areSame(session: SessionName, last: RecentCalls['last'], batch?: Batch): Promise<boolean>;
  recordCall(
    session: SessionName,
    operationId: string,
    fingerprint: SimHash,
    memory: LoopMemory,
    batch?: Batch,
  ): Promise<void>;
  /**
   * Counts a new call, and returns true for each limit that it exceeds. With `denies`, a call that exceeds a limit is
   * not counted, so that it cannot displace allowed calls, and the rest of the batch is skipped.
   */
  countArrival(
    session: SessionName,
    operationId: string,
    limits: readonly ArrivalLimit[],
    denies: boolean,
    batch?: Batch,
  ): Promise<readonly boolean[]>;
  giveBack(session: SessionName, operationId: string, limits: readonly ArrivalLimit[]): Promise<void>;
}
