import type { BudgetLimits } from '../pipeline/exchange.ts';
import { effectiveLimits, parseBudgetLimits } from '../redis/budget-limits.ts';
import type { RedisClient } from '../redis/client.ts';
import { budgetLimitsKey, DEFAULT_BUDGET_KEY, keyRecordKey, quarantineKey } from '../redis/keys.ts';
import { readProfile, type StoredProfile } from '../risk/read-profile.ts';
import { parseRiskStatus, type Lock, type RiskProfile, type StoredLock } from '../risk/profile.ts';
import { loadScript } from '../redis/script.ts';
import { wrongShape } from '../redis/reply.ts';
import { withRedisDeadline } from '../redis/unavailable.ts';
import { parseKeyRecord, rawKeyField, type KeyFields } from './key-fields.ts';
import type { KeyRecord } from './key-record.ts';
import { RecentMap } from '../recent-map.ts';

const touchScript = loadScript(new URL('./touch-key.lua', import.meta.url));

/** `last_used_at` is coarse: it is written at most this often. */
const TOUCH_INTERVAL_MS = 60_000;
const MAX_REMEMBERED_KEYS = 50_000;

/** Everything that the edge must know of a key, read in one wait. */
export interface KeyState {
  readonly record: KeyRecord;
  readonly status: 'active' | 'revoked' | 'expired';
  /** Unix ms by Redis's clock, by which status, lock and risk were judged. */
  readonly readAt: number;
  /** Present while the key is locked, be its lock only pending. */
  readonly lock?: Lock;
  /** Decayed as of now. */
  readonly risk: RiskProfile;
  /** The key's own budget, or the default one. */
  readonly limits: BudgetLimits;
}

export interface KeyStateStore {
  /**
   * Undefined where no raw key of this hash is known; throws `redis_unavailable`. A key that is doubted is looked up
   * with one read, and the rest is read only where it could be good.
   * @param onKnownKey called with the key's hash as the reads are sent, where the key was good before: what it sends is
   *   answered in the same wait
   */
  readKeyState(
    rawHash: string,
    trust?: 'trusted' | 'doubted',
    onKnownKey?: (keyHash: string) => void,
  ): Promise<KeyState | undefined>;
  /** The key of this hash, which the bearer's JWT names: it is active whatever became of its raw keys. */
  readNamedKey(keyHash: string): Promise<KeyState | undefined>;
  /**
   * Whether one of these hashes is of a raw key on record: active, expired, revoked or rotated out. One wait; throws
   * `redis_unavailable`.
   */
  knowsAny(rawHashes: readonly string[]): Promise<boolean>;
  /** Notes the use of a key, at most once a minute; never waits and never fails. */
  noteUse(state: Pick<KeyState, 'record' | 'readAt'>): void;
}

export interface KeyStateOptions {
  readonly client: RedisClient;
  /** See `phaseDeadlineMs`. */
  readonly deadlineMs: number;
  /** A clock for tests, Unix ms; Redis's own where it is left out (docs/redis.md). */
  readonly now?: () => number;
  /** Told when a use could not be noted. */
  readonly onNoteFailed?: (failure: unknown) => void;
}

export function createKeyStateStore(options: KeyStateOptions): KeyStateStore {
  const { client, deadlineMs, now, onNoteFailed } = options;
  /** Hash of a rotated raw key -> hash of its identity. Never changes, so remembering it saves a wait. */
  const identities = new RecentMap<string>(MAX_REMEMBERED_KEYS);
  /**
   * Raw keys that were good once, and whether they were when they were last seen. Whoever makes keys up, or sends one that is
   * locked or revoked, has nothing sent beside them.
   */
  const familiar = new RecentMap<boolean>(MAX_REMEMBERED_KEYS);
  const notedAt = new RecentMap<number>(MAX_REMEMBERED_KEYS);

  async function read(
    rawHash: string,
    onKnownKey?: (keyHash: string) => void,
  ): Promise<KeyState | undefined> {
    const known = identities.get(rawHash) ?? rawHash;
    const answered = readRecordAndLock(client, known, now);
    if (familiar.get(rawHash) === true) onKnownKey?.(known);
    const answer = await answered;
    const identity = answer.record['identity'];
    if (identity === undefined) return toKeyState(rawHash, answer);
    identities.set(rawHash, identity);
    return toKeyState(rawHash, await readRecordAndLock(client, identity, now));
  }

  async function readAndRemember(
    rawHash: string,
    onKnownKey?: (keyHash: string) => void,
  ): Promise<KeyState | undefined> {
    const state = await read(rawHash, onKnownKey);
    const isGood =
      state?.status === 'active' && state.lock === undefined && state.risk.blockedAt === undefined;
    if (isGood || familiar.get(rawHash) === true) familiar.set(rawHash, isGood);
    return state;
  }

  return {
    readKeyState: (rawHash, trust = 'trusted', onKnownKey) =>
      withRedisDeadline(deadlineMs, async () =>
        trust === 'trusted' || (await couldBeGood(client, rawHash))
          ? readAndRemember(rawHash, onKnownKey)
          : undefined,
      ),
    readNamedKey: (keyHash) =>
      withRedisDeadline(deadlineMs, async () =>
        toKeyState(undefined, await readRecordAndLock(client, keyHash, now)),
      ),
    knowsAny: (rawHashes) =>
      withRedisDeadline(deadlineMs, async () => {
        const counts = await Promise.all(rawHashes.map((rawHash) => client.exists(keyRecordKey(rawHash))));
        if (!counts.every((count) => count === 0 || count === 1)) throw wrongShape();
        return counts.includes(1);
      }),
    noteUse({ record: { keyHash, lastUsedAt = 0 }, readAt }) {
      if (readAt - Math.max(lastUsedAt, notedAt.get(keyHash) ?? 0) < TOUCH_INTERVAL_MS) return;
      notedAt.set(keyHash, readAt);
      touchScript.run(client, [keyRecordKey(keyHash)], []).catch((failure: unknown) => {
        onNoteFailed?.(failure);
      });
    },
  };
}

/** Known, and not revoked; what its expiry, its rotation or its lock say is not asked yet. */
async function couldBeGood(client: RedisClient, rawHash: string): Promise<boolean> {
  const reply: unknown = await client.hmget(keyRecordKey(rawHash), 'key_hash', 'identity', 'revoked_at');
  if (!Array.isArray(reply) || reply.length !== 3) throw wrongShape();
  const [keyHash, identity, revokedAt] = reply as unknown[];
  return (keyHash !== null || identity !== null) && revokedAt === null;
}

interface Answers {
  readonly record: KeyFields;
  readonly lock: StoredLock;
  readonly profile: StoredProfile;
  readonly own: KeyFields;
  readonly fallback: KeyFields;
}

/** Parallel commands, because the keys lie in different slots of a cluster: still one wait. */
async function readRecordAndLock(
  client: RedisClient,
  identity: string,
  now: KeyStateOptions['now'],
): Promise<Answers> {
  const [record, lockTtlMs, lockValue, profile, own, fallback] = await Promise.all([
    client.hgetall(keyRecordKey(identity)),
    client.pttl(quarantineKey(identity)),
    client.get(quarantineKey(identity)),
    readProfile(client, identity, now),
    client.hgetall(budgetLimitsKey(identity)),
    client.hgetall(DEFAULT_BUDGET_KEY),
  ]);
  const hashes = [record, own, fallback];
  if (!hashes.every(isHash) || !Number.isInteger(lockTtlMs)) {
    // Out of step, it would read as an unknown key, or as a key without a budget.
    throw wrongShape();
  }
  return { record, lock: { ttlMs: lockTtlMs, value: lockValue }, profile, own, fallback };
}

function isHash(reply: unknown): boolean {
  return typeof reply === 'object' && reply !== null && !Array.isArray(reply);
}

/** @param rawHash of the raw key that was sent; undefined where the key was named */
function toKeyState(rawHash: string | undefined, answers: Answers): KeyState | undefined {
  if (answers.record['key_hash'] === undefined) return undefined;
  const record = parseKeyRecord(answers.record);
  const { nowMs, values } = answers.profile;
  return {
    record,
    readAt: nowMs,
    status: readStatus(record, rawHash === undefined ? '' : answers.record[rawKeyField(rawHash)], nowMs),
    ...parseRiskStatus(values, answers.lock, nowMs),
    limits: effectiveLimits(parseBudgetLimits(answers.own), parseBudgetLimits(answers.fallback)),
  };
}

/** `rawUntil`: when this raw key stops by rotation; undefined where the record does not admit it any more. */
function readStatus(record: KeyRecord, rawUntil: string | undefined, nowMs: number): KeyState['status'] {
  if (record.revokedAt !== undefined) return 'revoked';
  if (record.expiresAt !== undefined && record.expiresAt <= nowMs) return 'expired';
  if (rawUntil === undefined) return 'expired';
  return rawUntil !== '' && !(Number(rawUntil) > nowMs) ? 'expired' : 'active';
}
