import { BUDGET_WINDOWS } from '../budget-windows.ts';
import type { RedisClient } from '../redis/client.ts';
import { readClock } from '../redis/clock.ts';
import {
  budgetLimitsKey,
  keyRecordKey,
  KEYS_BY_USE,
  quarantineKey,
  riskProfileKey,
  USES_COMPLETE,
} from '../redis/keys.ts';
import { MARK_MS, markKey } from '../redis/marked-keys.ts';
import { decayedScore } from '../risk/profile.ts';
import { enterInOrder, pageOfHashes, PAGE_SIZE } from './key-index.ts';
import { COMPLETE_MS, isForeignUse } from './use-order.ts';

export interface UseProgress {
  readonly isReady: boolean;
  /** Number of keys read. */
  readonly done: number;
}

/** Time limit of one call. */
const WORK_MS = 1_000;
/** After this time without a use recorded only in the record, no gateway of an earlier release is running. */
const QUIET_MS = 86_400_000;
/** How long callers may share the result of a pass that did not complete the order. */
const FRESH_MS = 5_000;

/**
 * Updates the order of use from the records, in which gateways of earlier releases record uses, and marks keys that
 * they have locked, blocked or scored. The order is complete after a pass that found no such use within a day.
 */
export function createUseCompletion(client: RedisClient): { goOn(): Promise<UseProgress> } {
  let after: string | undefined;
  let done = 0;
  let startedAt: number | undefined;
  let lastForeignUse = 0;
  let freshUntil = 0;
  let running: Promise<UseProgress> | undefined;

  async function work(): Promise<UseProgress> {
    if (performance.now() < freshUntil) return { isReady: true, done };
    if (startedAt === undefined) {
      startedAt = await readClock(client);
      [after, done, lastForeignUse] = [undefined, 0, 0];
    }
    const end = performance.now() + WORK_MS;
    do {
      const { hashes, next } = await pageOfHashes(client, 'hash', after, PAGE_SIZE);
      lastForeignUse = Math.max(lastForeignUse, await enterPage(client, hashes, startedAt));
      done += hashes.length;
      after = next;
    } while (after !== undefined && performance.now() < end);
    if (after !== undefined) return { isReady: false, done };
    if (lastForeignUse < startedAt - QUIET_MS) await client.set(USES_COMPLETE, '1', 'PX', COMPLETE_MS);
    startedAt = undefined;
    freshUntil = performance.now() + FRESH_MS;
    return { isReady: true, done };
  }

  return {
    goOn: () =>
      (running ??= work().finally(() => {
        running = undefined;
      })),
  };
}

/**
 * Enters the keys of a page. Returns the latest use that a record has and the index lacks, in epoch milliseconds; 0
 * without such a use.
 */
async function enterPage(client: RedisClient, hashes: readonly string[], now: number): Promise<number> {
  if (hashes.length === 0) return 0;
  const [times, known] = await Promise.all([
    Promise.all(hashes.map((hash) => client.hmget(keyRecordKey(hash), 'created_at', 'last_used_at'))),
    client.zmscore(KEYS_BY_USE, ...hashes),
    Promise.all(hashes.map((hash) => markIfHeld(client, hash, now))),
  ]);
  await enterInOrder(client, new Map(hashes.map((hash, nth) => [hash, times[nth]?.[0]])));
  let last = 0;
  const entries: (string | number)[] = [];
  for (const [nth, hash] of hashes.entries()) {
    const usedAt = Number(times[nth]?.[1] ?? 0);
    if (usedAt === 0) continue;
    entries.push(usedAt, hash);
    if (isForeignUse(usedAt, known[nth])) last = Math.max(last, usedAt);
  }
  if (entries.length > 0) await client.zadd(KEYS_BY_USE, 'GT', ...entries);
  return last;
}

async function markIfHeld(client: RedisClient, keyHash: string, now: number): Promise<void> {
  const [lockMs, [score, scoredAt, blockedAt, pendingUntil], limits] = await Promise.all([
    client.pttl(quarantineKey(keyHash)),
    client.hmget(riskProfileKey(keyHash), 'risk_score', 'scored_at', 'blocked_at', 'pending_lock_until'),
    client.hmget(budgetLimitsKey(keyHash), ...BUDGET_WINDOWS),
  ]);
  const isHeld = lockMs === -1 || typeof blockedAt === 'string' || limits.includes('0');
  if (isHeld) return markKey(client, keyHash, Infinity);
  const left = Math.max(lockMs, Number(pendingUntil ?? 0) - now);
  const isScored = decayedScore(Number(score ?? 0), Number(scoredAt ?? now), now) > 0;
  if (left > 0 || isScored) await markKey(client, keyHash, Math.max(left, MARK_MS));
}
