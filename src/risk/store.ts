import type { LockCause } from './lock-cause.ts';
import type { Lock, RiskStatus } from './profile.ts';
import type { CoreConfig } from '../config/core.ts';

/** An agent's action that counts against its key (docs/risk.md). */
export type RiskEvent = EventOfKey &
  (
    | { readonly trigger: 'policy_block' | 'escalation'; readonly findings?: readonly string[] }
    | { readonly trigger: 'quarantine'; readonly findings?: readonly string[]; readonly lockMs?: number }
    | {
        /** DLP withheld personal data. Scores and locks like a secret, but without a taint. */
        readonly trigger: 'data_exfiltration';
        readonly findings?: readonly string[];
        readonly lockMs: number;
        readonly cause?: LockCause;
      }
    | {
        readonly trigger: 'secret_exfiltration';
        readonly findings?: readonly string[];
        readonly lockMs: number;
        readonly cause?: LockCause;
        /** The `secret_accessed` flag of this session then counts as known. */
        readonly sessionId?: string | undefined;
      }
    | {
        readonly trigger: 'taint';
        readonly flag: string;
        /** All calls without a session count as one session. */
        readonly sessionId?: string | undefined;
      }
  );

interface EventOfKey {
  readonly keyHash: string;
  /** Random; makes repeats harmless. */
  readonly operationId: string;
}

export interface RiskOutcome {
  /** Score after the event; 0 without risk profiles. */
  readonly riskScore: number;
  /** False if the findings or the flag had already scored, or without risk profiles. */
  readonly scored: boolean;
  readonly lock?: { readonly ttlMs: number };
  readonly blocked: boolean;
}

export type LockTime = Pick<Lock, 'ttlMs'>;

/** Risk profiles and locks of all keys (docs/risk.md). Changes are atomic and safe to repeat. */
export interface RiskStore {
  /** Scores an event. A score over a threshold locks or blocks the key. */
  record(event: RiskEvent): Promise<RiskOutcome>;
  /** Returns the current profile; empty for a key that has never scored. */
  read(keyHash: string): Promise<RiskStatus>;
  /** Resets the score, block, taints and findings. Keeps the totals and any lock. */
  reset(keyHash: string, operationId: string): Promise<void>;
  /** Locks the key and returns the remaining time. Does not shorten an existing lock. */
  lock(keyHash: string, ttlMs: number, operationId: string, cause?: LockCause): Promise<LockTime>;
  /** Removes the lock. Returns false if there was none. */
  release(keyHash: string): Promise<boolean>;
}

export interface RiskSettings {
  /** If false, nothing scores and thresholds have no effect. */
  readonly enabled: boolean;
  /** Lifetime of a profile after its last change. 0: permanent. */
  readonly profileTtlMs: number;
  readonly autoQuarantineThreshold: number;
  readonly permanentBlockThreshold: number;
  readonly sessionTtlMs: number;
}

export function riskSettings({ risk_profile, session }: CoreConfig): RiskSettings {
  return {
    enabled: risk_profile.enabled,
    profileTtlMs: risk_profile.ttl,
    autoQuarantineThreshold: risk_profile.auto_quarantine_threshold,
    permanentBlockThreshold: risk_profile.permanent_block_threshold,
    sessionTtlMs: session.ttl,
  };
}
