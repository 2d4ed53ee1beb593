import type { Batch } from '../../pipeline/batch.ts';
import type { SessionName } from '../../conversation/session-name.ts';
import type { SimHash } from '../../text/simhash.ts';

/** A forwarded and answered call of a session. */
export interface RecentCall {
  readonly ageMs: number;
  readonly fingerprint: SimHash;
}

/** A session's calls, newest first. */
export interface RecentCalls {
  readonly calls: readonly RecentCall[];
  /** Identifies the newest stored call; empty if there is none. */
  readonly last: string;
}

/** How much of a session's past is kept. */
export interface LoopMemory {
  readonly keepMs: number;
  /** Beyond this, the oldest are dropped. */
  readonly maxCalls: number;
}

/** A limit on arrivals: at most `limit` in `windowMs`, counted separately by name. */
export interface ArrivalLimit {
  /** `rps`, or what repeats; plain characters, bounded. */
  readonly name: string;
  readonly windowMs: number;
  readonly limit: number;
}

/** Recent calls of sessions; changes are idempotent under their operation id. */
export interface LoopStore {
  readCalls(session: SessionName, memory: LoopMemory): Promise<RecentCalls>;
  /**
   * Returns false if another call was answered since, or the calls expired; then the rest of the batch is
   * skipped.
   */
  areSame(session: SessionName, last: RecentCalls['last'], batch?: Batch): Promise<boolean>;
  /** Adds an answered call. */
  recordCall(
    session: SessionName,
    operationId: string,
    fingerprint: SimHash,
    memory: LoopMemory,
    batch?: Batch,
  ): Promise<void>;
  /**
   * Counts a new call, and returns true for each limit that it exceeds. With `denies`, such a call is removed
   * from all counts, so that it cannot displace allowed ones, and the rest of the batch is skipped.
   */
  countArrival(
    session: SessionName,
    operationId: string,
    limits: readonly ArrivalLimit[],
    denies: boolean,
    batch?: Batch,
  ): Promise<readonly boolean[]>;
  /** Removes a call from the counts of `countArrival`. */
  giveBack(session: SessionName, operationId: string, limits: readonly ArrivalLimit[]): Promise<void>;
}
