import type { LockCause } from './lock-cause.ts';
import type { Lock, RiskStatus } from './profile.ts';

/** One thing that an agent did and that counts against its key (docs/risk.md). */
export type RiskEvent = EventOfKey &
  (
    | { readonly trigger: 'policy_block' | 'escalation'; readonly findings?: readonly string[] }
    | {
        readonly trigger: 'quarantine';
        readonly findings?: readonly string[];
        /** Locks whatever the score is. */
        readonly lockMs?: number;
      }
    | {
        /** Personal data in a completion that DLP withheld: scores and locks as a secret does, and leaves no taint. */
        readonly trigger: 'data_exfiltration';
        readonly findings?: readonly string[];
        readonly lockMs: number;
        readonly cause?: LockCause;
      }
    | {
        readonly trigger: 'secret_exfiltration';
        readonly findings?: readonly string[];
        /** `quarantine_duration` of the inspector or of DLP: it locks whatever the score is. */
        readonly lockMs: number;
        readonly cause?: LockCause;
        /** Its session's `secret_accessed` is known from then on, and will not score. */
        readonly sessionId?: string | undefined;
      }
    | {
        readonly trigger: 'taint';
        readonly flag: string;
        /** Calls without a session count as one session. */
        readonly sessionId?: string | undefined;
      }
  );

interface EventOfKey {
  readonly keyHash: string;
  /** A random id of ours, a new one for each event: repeats of a command under it change nothing. */
  readonly operationId: string;
}

export interface RiskOutcome {
  /** After the event; 0 where risk profiles are switched off. */
  readonly riskScore: number;
  /** False where its findings, or its flag, had scored before, or nothing scores. */
  readonly scored: boolean;
  /** Set where the event locked the key: how long from now. */
  readonly lock?: { readonly ttlMs: number };
  /** True for the one event that blocked the key for good. */
  readonly blocked: boolean;
}

/** Without `ttlMs` it has no end. */
export type LockTime = Pick<Lock, 'ttlMs'>;

export interface LockedKey {
  readonly keyHash: string;
  readonly lock: Lock;
}

export interface LockPage {
  readonly locked: readonly LockedKey[];
  /** Give it to the next call; undefined at the end. */
  readonly next: string | undefined;
}

/**
 * The risk profiles and locks of all keys (docs/risk.md). Every change is atomic and
 * safe to repeat; a failure of the store throws `redis_unavailable`.
 */
export interface RiskStore {
  /** Scores an event; over a threshold it locks the key, or blocks it. */
  record(event: RiskEvent): Promise<RiskOutcome>;
  /** The profile as of now, decayed; a key that never scored has an empty one. */
  read(keyHash: string): Promise<RiskStatus>;
  /** Takes back score, block, taints and remembered findings; totals, and a lock, stay. */
  reset(keyHash: string, operationId: string): Promise<void>;
  /** Locks a key; of two locks the longer one stays, with its cause. Returns how long the one that holds now does. */
  lock(keyHash: string, ttlMs: number, operationId: string, cause?: LockCause): Promise<LockTime>;
  /** Returns false where there was no lock. */
  release(keyHash: string): Promise<boolean>;
  /** Locked keys in the order of their hashes, a page at a time; a page may be empty before the end. */
  listLocked(after?: string): Promise<LockPage>;
}

/** What a store needs of the configuration. */
export interface RiskSettings {
  /** `risk_profile.enabled`: where it is off, nothing scores and no threshold acts. */
  readonly enabled: boolean;
  /** `risk_profile.ttl`: life of a profile after its last change; 0 is permanent. */
  readonly profileTtlMs: number;
  readonly autoQuarantineThreshold: number;
  readonly permanentBlockThreshold: number;
  /** `session.ttl`: how long a session's flags are known. */
  readonly sessionTtlMs: number;
}
