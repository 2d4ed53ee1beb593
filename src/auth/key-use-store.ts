import * as z from 'zod';
import { readClock } from '../redis/clock.ts';
import type { RedisClient } from '../redis/client.ts';
import {
  KEY_INDEX,
  keyRecordKey,
  KEYS_BY_USE,
  MARKED_KEYS,
  USES_COMPLETE,
  budgetLimitsKey,
  quarantineKey,
  riskProfileKey,
} from '../redis/keys.ts';
import { MARK_MS, markKey } from '../redis/marked-keys.ts';
import { loadScript } from '../redis/script.ts';
import { guarded } from '../redis/unavailable.ts';
import { parseKeyRecord } from './key-fields.ts';
import type { KeyRecord } from './key-record.ts';
import { BUDGET_WINDOWS } from '../budget-windows.ts';
import { decayedScore } from '../risk/profile.ts';
import { enterInOrder, pageOfHashes, PAGE_SIZE } from './key-index.ts';
import { COMPLETE_MS, isForeignUse } from './use-order.ts';

const pageScript = loadScript(new URL('./page-active-keys.lua', import.meta.url));
const chosen = z.tuple([z.string()], z.string());

/** Maximum number of hashes per reply (about 8 ms in Redis). */
export const MOST_AT_ONCE = 10_000;
/** Number of index entries per script call (about 3 ms). */
const PART = 3_000;
/** Maximum duration of a call, which counts as a use at its start but changes session and spend until its end. */
export const LONGEST_CALL_MS = 7 * 86_400_000;

/** Selects keys that meet either condition. */
export interface ActiveKeys {
  /** Used since this time in Unix ms, or so recently that Redis may still have their spend or sessions. */
  readonly usedSince?: number | 'spend' | 'sessions';
  /** Includes keys with a score, a lock, a block or a limit of 0. */
  readonly marked?: boolean;
}

interface ActivePage {
  readonly hashes: readonly string[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

/** Finds used and marked keys without reading every record. All functions throw `redis_unavailable`. */
export interface KeyUseStore {
  /** Reports whether the order of use contains every used key. */
  isComplete(): Promise<boolean>;
  /** Works on the order of use for about a second. Must be called until `isReady` is true. */
  complete(): Promise<UseProgress>;
  /** Each key is on only one page. */
  active(keys: ActiveKeys, after?: string): Promise<ActivePage>;
  /** Returns at most MOST_AT_ONCE keys, most recently used first. */
  latest(count: number): Promise<readonly string[]>;
  /** Returns the records that exist. */
  records(hashes: readonly string[]): Promise<readonly KeyRecord[]>;
}

interface KeyUseStoreOptions {
  readonly client: RedisClient;
  readonly sessionTtlMs: number;
}

export function createKeyUseStore({ client, sessionTtlMs }: KeyUseStoreOptions): KeyUseStore {
  const completion = createUseCompletion(client);
  const isComplete = async (): Promise<boolean> => (await client.get(USES_COMPLETE)) !== null;
  const lifeMs = { spend: MARK_MS, sessions: sessionTtlMs + LONGEST_CALL_MS };

  async function sinceOf({ usedSince }: ActiveKeys): Promise<number | ''> {
    if (usedSince === undefined || typeof usedSince === 'number') return usedSince ?? '';
    return (await readClock(client)) - lifeMs[usedSince];
  }

  /** Returns undefined if there are too many keys for one reply. */
  async function allAtOnce(since: number | '', marked: boolean): Promise<readonly string[] | undefined> {
    const limit = ['LIMIT', 0, MOST_AT_ONCE + 1] as const;
    const [used, held] = await Promise.all([
      since === '' ? [] : client.zrangebyscore(KEYS_BY_USE, since, '+inf', ...limit),
      marked ? client.zrangebyscore(MARKED_KEYS, '-inf', '+inf', ...limit) : [],
    ]);
    const hashes = new Set([...used, ...held]);
    return hashes.size > MOST_AT_ONCE ? undefined : [...hashes];
  }

  /** Walks the index of all keys, whose order does not change with use, so that each key is returned once. */
  async function part(since: number | '', marked: boolean, after: string): Promise<ActivePage> {
    const keys = [KEY_INDEX, KEYS_BY_USE, MARKED_KEYS];
    const reply: unknown = await pageScript.run(client, keys, [after, since, marked ? '1' : '', PART]);
    const [last, ...hashes] = chosen.parse(reply);
    return { hashes, next: last === '' ? undefined : last };
  }

  async function active(keys: ActiveKeys, after?: string): Promise<ActivePage> {
    const [since, marked] = [await sinceOf(keys), keys.marked === true];
    if (after === undefined) {
      const hashes = await allAtOnce(since, marked);
      if (hashes !== undefined) return { hashes, next: undefined };
    }
    return part(since, marked, after ?? '');
  }

  async function records(hashes: readonly string[]): Promise<readonly KeyRecord[]> {
    const read = await Promise.all(hashes.map((hash) => client.hgetall(keyRecordKey(hash))));
    return read.flatMap((fields) => (fields['key_hash'] === undefined ? [] : [parseKeyRecord(fields)]));
  }

  return {
    isComplete: guarded(isComplete),
    complete: guarded(async () => ((await isComplete()) ? { isReady: true, done: 0 } : completion.goOn())),
    active: guarded(active),
    latest: guarded((count) => client.zrevrange(KEYS_BY_USE, 0, Math.min(count, MOST_AT_ONCE) - 1)),
    records: guarded(records),
  };
}

interface UseProgress {
  readonly isReady: boolean;
  /** Number of keys read. */
  readonly done: number;
}

/** A call reads no further page after this time. */
const WORK_MS = 1_000;
/** After this time without a foreign use (`isForeignUse`), no gateway of an earlier release should be running. */
const QUIET_MS = 86_400_000;
/** How long a pass that could not complete the order counts as ready. */
const FRESH_MS = 5_000;

/**
 * Updates the order of use from the records, in which gateways of earlier releases record uses, and marks keys that
 * they have locked, blocked or scored. The order is complete after a pass that finds no such use in the last day.
 */
function createUseCompletion(client: RedisClient): { goOn(): Promise<UseProgress> } {
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

/** Enters a page of keys. Returns the latest use, in Unix ms, that a record has and the index lacks, or 0. */
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
