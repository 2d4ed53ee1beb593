import * as z from 'zod';
import type { AgentRisk } from '../pipeline/facts.ts';
import { decayedScore } from './decay.ts';
import { readLockCause, type LockCause } from './lock-cause.ts';

/**
 * Fields of a risk profile, in the order in which they are read; names as in docs/risk.md. Scores are
 * written by the risk store, `session_count` and `total_spend` (nano-USD) by the session check, which also settles.
 */
export const RISK_FIELDS = [
  'risk_score',
  /** Unix ms of the last trigger: the clean time, after which the score decays, starts there. */
  'scored_at',
  'total_policy_blocks',
  'total_escalations',
  'total_spend',
  /** JSON list. */
  'persistent_taint_flags',
  'session_count',
  /** Unix ms; set once the score was over the permanent threshold, until an operator resets it. */
  'blocked_at',
  /** The value of a lock that is being written: its key lies in another slot, so the profile carries it meanwhile. */
  'pending_lock_id',
  /** Unix ms until which the pending lock holds. */
  'pending_lock_until',
] as const;

/** While it exists the key is refused (docs/risk.md); without `ttlMs` it has no end. */
export interface Lock {
  readonly ttlMs?: number;
  readonly cause?: LockCause;
}

/** A lock's own key, as Redis has it. */
export interface StoredLock {
  /** As PTTL says it: -2 no lock, -1 a lock without an end. */
  readonly ttlMs: number;
  readonly value: string | null;
}

export interface RiskProfile extends AgentRisk {
  /** Unix ms since which the key is blocked for good. */
  readonly blockedAt?: number;
}

/** What stands in Redis about the conduct of one key. */
export interface RiskStatus {
  readonly risk: RiskProfile;
  readonly lock?: Lock;
}

type Stored = string | null | undefined;

const flagList = z.array(z.string());

/**
 * Reads a profile as of `nowMs`: `values` in the order of RISK_FIELDS.
 * @throws Error where it is damaged: read as harmless, it would let a blocked key in
 */
export function parseRiskStatus(values: readonly Stored[], stored: StoredLock, nowMs: number): RiskStatus {
  const [score, scoredAt, blocks, escalations, spend, flags, sessions, blockedAt, pendingId, pendingUntil] =
    values;
  const blocked = storedNumber(blockedAt);
  const pending = { ttlMs: pendingMs(pendingId, pendingUntil, nowMs), value: pendingId ?? null };
  const lock = readLock(stored, pending);
  return {
    risk: {
      riskScore: decayedScore(storedNumber(score) ?? 0, storedNumber(scoredAt), nowMs),
      totalPolicyBlocks: storedNumber(blocks) ?? 0,
      totalEscalations: storedNumber(escalations) ?? 0,
      totalSpendNanoUsd: storedNumber(spend) ?? 0,
      persistentTaintFlags: toFlags(flags),
      sessionCount: storedNumber(sessions) ?? 0,
      quarantineActive: lock !== undefined,
      ...(blocked === undefined ? {} : { blockedAt: blocked }),
    },
    ...(lock && { lock }),
  };
}

/** How long a pending lock holds; one that says no end has none, and 0 or less is over. */
function pendingMs(id: Stored, until: Stored, nowMs: number): number {
  return id === null || id === undefined ? 0 : (storedNumber(until) ?? Infinity) - nowMs;
}

/** Of the two the longer one holds, and says why. */
function readLock(stored: StoredLock, pending: StoredLock): Lock | undefined {
  const storedMs = stored.ttlMs === -1 ? Infinity : stored.ttlMs;
  const ttlMs = Math.max(storedMs, pending.ttlMs);
  if (ttlMs <= 0 && storedMs !== 0) return undefined;
  const cause = readLockCause((storedMs >= pending.ttlMs ? stored : pending).value);
  return {
    ...(Number.isFinite(ttlMs) && { ttlMs: Math.max(ttlMs, 0) }),
    ...(cause !== undefined && { cause }),
  };
}

function storedNumber(stored: Stored): number | undefined {
  if (stored === null || stored === undefined) return undefined;
  if (!/^-?\d{1,19}(?:\.\d{1,16})?$/.test(stored)) throw damaged();
  return Number(stored);
}

function toFlags(stored: Stored): readonly string[] {
  if (stored === null || stored === undefined) return [];
  try {
    return flagList.parse(JSON.parse(stored));
  } catch (cause) {
    throw damaged(cause);
  }
}

function damaged(cause?: unknown): Error {
  return new Error('A stored risk profile is damaged', { cause });
}
