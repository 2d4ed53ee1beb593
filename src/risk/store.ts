import type { LockCause } from './lock-cause.ts';
import type { Lock, RiskStatus } from './profile.ts';

/** An agent's action that counts against its key (docs/risk.md). */
export type RiskEvent = EventOfKey &
  (
    | { readonly trigger: 'policy_block' | 'escalation'; readonly findings?: readonly string[] }
    | {
        readonly trigger: 'quarantine';
        readonly findings?: readonly string[];
        /** Locks regardless of the score. */
        readonly lockMs?: number;
      }
    | {
        /** DLP withheld personal data in a completion: scores and locks like a secret, without a taint. */
        readonly trigger: 'data_exfiltration';
        readonly findings?: readonly string[];
        readonly lockMs: number;
        readonly cause?: LockCause;
      }
    | {
        readonly trigger: 'secret_exfiltration';
        readonly findings?: readonly string[];
        /** `quarantine_duration` of the inspector or of DLP; locks regardless of the score. */
        readonly lockMs: number;
        readonly cause?: LockCause;
        /** The session's `secret_accessed` flag counts as known afterwards and does not score again. */
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
  /** A random id of this event; repeating a command with it changes nothing. */
  readonly operationId: string;
}

export interface RiskOutcome {
  /** After the event; 0 if risk profiles are off. */
  readonly riskScore: number;
  /** False if its findings or flag had scored before, or nothing scores. */
  readonly scored: boolean;
  /** Set if the event locked the key. */
  readonly lock?: { readonly ttlMs: number };
  /** True for the one event that blocked the key permanently. */
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
  /** Cursor for the next call; undefined at the end. */
  readonly next: string | undefined;
}

/**
 * The risk profiles and locks of all keys (docs/risk.md). Every change is atomic and safe to repeat; store
 * failures throw `redis_unavailable`.
 */
export interface RiskStore {
  /** Scores an event; over a threshold it locks or blocks the key. */
  record(event: RiskEvent): Promise<RiskOutcome>;
  /** Returns the profile decayed to now; empty for a key that never scored. */
  read(keyHash: string): Promise<RiskStatus>;
  /** Resets score, block, taints and remembered findings; keeps totals and any lock. */
  reset(keyHash: string, operationId: string): Promise<void>;
  /** Locks a key; a longer existing lock stays. Returns the remaining time of the effective lock. */
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
