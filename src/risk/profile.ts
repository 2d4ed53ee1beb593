import * as z from 'zod';
import type { AgentRisk } from '../pipeline/facts.ts';
import { readLockCause, type LockCause } from './lock-cause.ts';

/**
 * Fields of a stored risk profile, in reading order (docs/risk.md). The session check writes `session_count`, the
 * budget check `total_spend` (nano-USD), and the risk store the others.
 */
export const RISK_FIELDS = [
  'risk_score',
  /** Unix ms of the last trigger. */
  'scored_at',
  'total_policy_blocks',
  'total_escalations',
  'total_spend',
  'persistent_taint_flags',
  'session_count',
  /** Unix ms. Set by a score over the permanent threshold, until an operator resets the key. */
  'blocked_at',
  /** Value of a lock that is being written to its own key, which is in another slot. */
  'pending_lock_id',
  /** Unix ms. */
  'pending_lock_until',
  'form',
] as const;

/** A key's lock (docs/risk.md); permanent without `ttlMs`. */
export interface Lock {
  readonly ttlMs?: number;
  readonly cause?: LockCause;
}

export interface StoredLock {
  /** As returned by PTTL: -2 without a lock, -1 for a permanent one. */
  readonly ttlMs: number;
  readonly value: string | null;
}

export interface RiskProfile extends AgentRisk {
  /** Unix ms. */
  readonly blockedAt?: number;
}

export interface RiskStatus {
  readonly risk: RiskProfile;
  readonly lock?: Lock;
}

type Stored = string | null | undefined;

const flagList = z.array(z.string());

/**
 * Parses a profile as of `nowMs`.
 * @param values in the order of RISK_FIELDS
 * @throws Error for a damaged profile, because a default could admit a blocked key
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

/** Returns the remaining time of a pending lock: Infinity for a permanent one, 0 or less if it has expired. */
function pendingMs(id: Stored, until: Stored, nowMs: number): number {
  return id === null || id === undefined ? 0 : (storedNumber(until) ?? Infinity) - nowMs;
}

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

/** Score decay in a period without triggers (docs/risk.md). */
export const DECAY = { points: 5, everyMs: 86_400_000 } as const;

export const MAX_SCORE = 100;

/** Returns a score as of `nowMs`. A score without a time, or with a future one, does not decay. */
export function decayedScore(score: number, scoredAt: number | undefined, nowMs: number): number {
  const cleanMs = scoredAt === undefined ? 0 : Math.max(0, nowMs - scoredAt);
  const decayed = score - Math.floor(cleanMs / DECAY.everyMs) * DECAY.points;
  return Math.min(Math.max(decayed, 0), MAX_SCORE);
}
