import type { Phase } from '../../pipeline/phase.ts';
import type { SessionName } from '../../conversation/session-turn.ts';
import type { SimHash } from '../../text/simhash.ts';

/** A call of a session that was forwarded and answered. */
export interface RecentCall {
  readonly ageMs: number;
  readonly fingerprint: SimHash;
}

/** Calls that were read before all judge by them. */
export interface CallsAhead {
  readonly calls: readonly RecentCall[];
  /** Names the newest of all that are kept; empty where there is none. */
  readonly last: string;
}

/** How much of a session's past is kept. */
export interface LoopMemory {
  readonly keepMs: number;
  /** The oldest beyond it are forgotten. */
  readonly maxCalls: number;
}

/** A limit on arrivals: no more than `limit` in `windowMs`, counted apart for each name. */
export interface ArrivalLimit {
  /** `rps`, or what repeats: plain characters, bounded. */
  readonly name: string;
  readonly windowMs: number;
  readonly limit: number;
}

/** Recent calls of sessions; what changes something is idempotent under its operation id. */
export interface LoopStore {
  /** The session's answered calls, newest first. */
  readCalls(session: SessionName, memory: LoopMemory): Promise<readonly RecentCall[]>;
  /** The same, for whoever asks later whether they are so still. */
  readAhead(session: SessionName, memory: LoopMemory): Promise<CallsAhead>;
  /** False where another call was answered since, or they were forgotten; nothing else of the phase is done then. */
  areSame(session: SessionName, last: CallsAhead['last'], phase?: Phase): Promise<boolean>;
  /** Adds a call that was answered. */
  recordCall(
    session: SessionName,
    operationId: string,
    fingerprint: SimHash,
    memory: LoopMemory,
    phase?: Phase,
  ): Promise<void>;
  /**
   * Counts a call that has just come; true for each limit that is exceeded with it. Where `denies` says that such a
   * call is denied, it is left out of all of them, so that it cannot push out those that were let through, and nothing
   * else of the phase is done.
   */
  countArrival(
    session: SessionName,
    operationId: string,
    limits: readonly ArrivalLimit[],
    denies: boolean,
    phase?: Phase,
  ): Promise<readonly boolean[]>;
  /** Takes a call out of what `countArrival` counted. */
  giveBack(session: SessionName, operationId: string, limits: readonly ArrivalLimit[]): Promise<void>;
}
