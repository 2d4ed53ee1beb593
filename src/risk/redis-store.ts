import * as z from 'zod';
import type { Acknowledgement } from '../redis/acknowledged.ts';
import type { RedisClient, RedisStoreOptions } from '../redis/client.ts';
import {
  knownFlagsKey,
  operationKey,
  heldAttemptsKey,
  quarantineKey,
  riskProfileKey,
  scoredFindingsKey,
} from '../redis/keys.ts';
import { MARK_MS, markKey } from '../redis/marked-keys.ts';
import { lockValue } from './lock-cause.ts';
import { readProfile } from './read-profile.ts';
import { DECAY, MAX_SCORE, parseRiskStatus, type RiskStatus } from './profile.ts';
import { loadScript } from '../redis/script.ts';
import { withRedisDeadline } from '../redis/unavailable.ts';
import { DEFAULT_LOCK_MS, lockOnly, MEMORY, toScoring, type Scoring } from './scoring.ts';
import type { LockTime, RiskEvent, RiskOutcome, RiskSettings, RiskStore } from './store.ts';

export interface RedisRiskStoreOptions extends RedisStoreOptions {
  readonly settings: RiskSettings;
  /** Set if locks wait for replicas (`redis.wait_replicas`). */
  readonly acknowledgement?: Acknowledgement | undefined;
}

/** How long an operation is remembered: longer than all retries of the client library. */
const OPERATION_MEMORY_MS = 60_000;

const scoreScript = loadScript(new URL('./score-risk.lua', import.meta.url));
const clearPendingScript = loadScript(new URL('./clear-pending-lock.lua', import.meta.url));
const setLockScript = loadScript(new URL('./set-lock.lua', import.meta.url));
const resetScript = loadScript(new URL('./reset-risk.lua', import.meta.url));

const flag = z.literal([0, 1]);
const scoreReply = z.tuple([flag, z.int(), z.int(), flag]);

/** Keeps risk profiles in Redis. A score writes its lock in two steps, because the lock's key is in another slot. */
export function createRedisRiskStore(options: RedisRiskStoreOptions): RiskStore {
  const { client, deadlineMs, settings } = options;
  const within = <T>(work: () => Promise<T>): Promise<T> => withRedisDeadline(deadlineMs, work);

  async function record(event: RiskEvent): Promise<RiskOutcome> {
    const scoring = toScoring(event, settings);
    const value = lockValue(event.operationId, scoring.cause);
    if (!settings.enabled) {
      if (scoring.ownLockMs > 0) await setLock(event.keyHash, scoring.ownLockMs, value);
      return lockOnly(scoring.ownLockMs);
    }
    const [, outcome] = await Promise.all([
      markKey(client, event.keyHash, MARK_MS),
      score(event, scoring, value),
    ]);
    if (outcome.blocked) await markKey(client, event.keyHash, Infinity);
    if (outcome.lock !== undefined) {
      await setLock(event.keyHash, outcome.lock.ttlMs, value);
      // If this is not reached, the pending lock still applies.
      await clearPendingScript.run(client, [riskProfileKey(event.keyHash)], [value]);
    }
    return outcome;
  }

  async function score(
    { keyHash, operationId }: RiskEvent,
    scoring: Scoring,
    lock: string,
  ): Promise<RiskOutcome> {
    const keys = [
      riskProfileKey(keyHash),
      operationKey(keyHash, `risk:${operationId}`),
      scoredFindingsKey(keyHash),
      knownFlagsKey(keyHash),
    ];
    const now = options.now === undefined ? '' : options.now();
    const reply = await scoreScript.run(client, keys, [
      ...[now, OPERATION_MEMORY_MS, scoring.points, MAX_SCORE, scoring.counter ?? ''],
      ...[DECAY.points, DECAY.everyMs, lock, scoring.ownLockMs, DEFAULT_LOCK_MS],
      ...[settings.autoQuarantineThreshold, settings.permanentBlockThreshold, settings.profileTtlMs],
      ...[scoring.flag ?? '', scoring.flagScores ? '1' : '', settings.sessionTtlMs, MEMORY.maxTaintFlags],
      ...[MEMORY.findingMs, MEMORY.maxFindings, scoring.flagMemoryId ?? '', MEMORY.maxKnownFlags],
      ...scoring.findings,
    ]);
    const [scored, riskScore, lockMs, blocked] = scoreReply.parse(reply);
    return {
      riskScore,
      scored: scored === 1,
      ...(lockMs > 0 && { lock: { ttlMs: lockMs } }),
      blocked: blocked === 1,
    };
  }

  async function setLock(keyHash: string, ttlMs: number, value: string): Promise<LockTime> {
    const key = quarantineKey(keyHash);
    const set = (on: RedisClient): Promise<unknown> => setLockScript.run(on, [key], [value, ttlMs]);
    const [, left] = await Promise.all([
      markKey(client, keyHash, ttlMs),
      set(client).then((reply) => z.int().parse(reply)),
    ]);
    await options.acknowledgement?.confirm(key, set);
    return left === -1 ? {} : { ttlMs: left };
  }

  async function read(keyHash: string): Promise<RiskStatus> {
    const [{ nowMs, values }, ttlMs, value] = await Promise.all([
      readProfile(client, keyHash, options.now),
      client.pttl(quarantineKey(keyHash)),
      client.get(quarantineKey(keyHash)),
    ]);
    return parseRiskStatus(values, { ttlMs: z.int().parse(ttlMs), value }, nowMs);
  }

  return {
    record: (event) => within(() => record(event)),
    read: (keyHash) => within(() => read(keyHash)),
    reset: (keyHash, operationId) =>
      within(async () => {
        const operation = operationKey(keyHash, `risk:${operationId}`);
        const keys = [riskProfileKey(keyHash), operation, scoredFindingsKey(keyHash)];
        await resetScript.run(client, keys, [OPERATION_MEMORY_MS]);
        // Attempts refused by a lock are counted until the lock ends.
        if ((await client.exists(quarantineKey(keyHash))) === 0) await client.del(heldAttemptsKey(keyHash));
      }),
    lock: (keyHash, ttlMs, operationId, cause) =>
      within(() => setLock(keyHash, ttlMs, lockValue(operationId, cause))),
    release: (keyHash) =>
      within(async () => {
        // Removes the pending lock first: if the next step fails, the key stays locked and the command can be repeated.
        const pending = await client.hdel(riskProfileKey(keyHash), 'pending_lock_id', 'pending_lock_until');
        const written = await client.del(quarantineKey(keyHash));
        await client.del(heldAttemptsKey(keyHash));
        return pending + written > 0;
      }),
  };
}
