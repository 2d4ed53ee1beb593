import type { KeyBudgets } from '../pipeline/exchange.ts';
import { effectiveLimits, parseBudgetLimits } from '../redis/budget-limits.ts';
import type { RedisClient } from '../redis/client.ts';
import { budgetLimitsKey, DEFAULT_BUDGET_KEY, keyRecordKey, quarantineKey } from '../redis/keys.ts';
import { readProfile, type StoredProfile } from '../risk/read-profile.ts';
import { parseRiskStatus, type Lock, type RiskProfile, type StoredLock } from '../risk/profile.ts';
import { loadScript } from '../redis/script.ts';
import { wrongShape } from '../redis/reply.ts';
import { withRedisDeadline } from '../redis/unavailable.ts';
import {
  createSharedBudgetReader,
  REVISION_FIELD,
  type ReadSharedBudgets,
} from '../shared-budgets/reader.ts';
import { parseKeyRecord, rawKeyField, type KeyFields } from './key-fields.ts';
import { statusOf, type KeyRecord, type KeyStatus } from './key-record.ts';
import { enterUse } from './use-order.ts';
import { RecentMap } from '../recent-map.ts';

const touchScript = loadScript(new URL('./touch-key.lua', import.meta.url));

/** Minimum interval between writes of `last_used_at`. */
const TOUCH_INTERVAL_MS = 60_000;
const MAX_REMEMBERED_KEYS = 50_000;

/** The state of a key, usually read in one round trip. */
export interface KeyState {
  readonly record: KeyRecord;
  readonly status: KeyStatus;
  /** Redis time in Unix ms, to which status, lock and risk refer. */
  readonly readAt: number;
  /** May also be a pending lock. */
  readonly lock?: Lock;
  /** Decayed to the current time. */
  readonly risk: RiskProfile;
  /** The key's own budget or the default budget, and shared budgets. */
  readonly limits: KeyBudgets;
}

export interface KeyStateStore {
  /**
   * Returns undefined for an unknown raw key. Looks up a `doubted` key with a single read first, and also returns
   * undefined if it is revoked.
   * @param onKnownKey called with the key's hash when the reads are sent, if the key was valid before; commands that it
   * sends share the round trip
   * @throws GatewayError redis_unavailable
   */
  readKeyState(
    rawHash: string,
    trust?: 'trusted' | 'doubted',
    onKnownKey?: (keyHash: string) => void,
  ): Promise<KeyState | undefined>;
  /** Reads a key named by a JWT, whatever the state of its raw keys. */
  readNamedKey(keyHash: string): Promise<KeyState | undefined>;
  /** Reports whether any of these raw keys is stored, valid or not. Throws GatewayError redis_unavailable. */
  knowsAny(rawHashes: readonly string[]): Promise<boolean>;
  /** Records a use in the record and in the order of use, at most once a minute. Neither waits nor throws. */
  noteUse(state: Pick<KeyState, 'record' | 'readAt'>): void;
}

export interface KeyStateOptions {
  readonly client: RedisClient;
  readonly deadlineMs: number;
  /** Test clock in Unix ms; defaults to the Redis clock (docs/redis.md). */
  readonly now?: () => number;
  readonly onNoteFailed?: (failure: unknown) => void;
}

export function createKeyStateStore(options: KeyStateOptions): KeyStateStore {
  const { client, deadlineMs, now, onNoteFailed } = options;
  /** Maps the hash of a rotated raw key to the hash of its identity, which never changes. */
  const identities = new RecentMap<string>(MAX_REMEMBERED_KEYS);
  /** Raw keys that were once valid, and whether they still were when last seen. Only valid keys get early commands. */
  const familiar = new RecentMap<boolean>(MAX_REMEMBERED_KEYS);
  const readShared = createSharedBudgetReader(client);
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
    if (identity === undefined) return toKeyState(rawHash, answer, readShared);
    identities.set(rawHash, identity);
    return toKeyState(rawHash, await readRecordAndLock(client, identity, now), readShared);
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
        toKeyState(undefined, await readRecordAndLock(client, keyHash, now), readShared),
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
      // Sent before the request changes any state, so that lists can find the key.
      Promise.all([
        enterUse(client, keyHash, readAt, lastUsedAt),
        touchScript.run(client, [keyRecordKey(keyHash)], []),
      ]).catch((failure: unknown) => {
        notedAt.set(keyHash, 0);
        onNoteFailed?.(failure);
      });
    },
  };
}

/** Reports whether a key is known and not revoked. Everything else is checked later. */
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

/** Sends separate commands in one round trip, because the keys are in different slots. */
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
  // Mismatched replies would look like an unknown key, or a key without a budget.
  if (!hashes.every(isHash) || !Number.isInteger(lockTtlMs)) throw wrongShape();
  return { record, lock: { ttlMs: lockTtlMs, value: lockValue }, profile, own, fallback };
}

function isHash(reply: unknown): boolean {
  return typeof reply === 'object' && reply !== null && !Array.isArray(reply);
}

/** @param rawHash hash of the raw key sent; undefined for a named key */
function toKeyState(
  rawHash: string | undefined,
  answers: Answers,
  readShared: ReadSharedBudgets,
): KeyState | undefined | Promise<KeyState> {
  if (answers.record['key_hash'] === undefined) return undefined;
  const revision = answers.fallback[REVISION_FIELD];
  if (revision === undefined) return keyStateWith(rawHash, answers, undefined);
  const shared = readShared(revision);
  return shared instanceof Promise
    ? shared.then((budgets) => keyStateWith(rawHash, answers, budgets))
    : keyStateWith(rawHash, answers, shared);
}

function keyStateWith(rawHash: string | undefined, answers: Answers, shared: KeyBudgets['shared']): KeyState {
  const record = parseKeyRecord(answers.record);
  const { nowMs, values } = answers.profile;
  const limits = effectiveLimits(parseBudgetLimits(answers.own), parseBudgetLimits(answers.fallback));
  return {
    record,
    readAt: nowMs,
    status: readStatus(record, rawHash === undefined ? '' : answers.record[rawKeyField(rawHash)], nowMs),
    ...parseRiskStatus(values, answers.lock, nowMs),
    limits: shared === undefined ? limits : { ...limits, shared },
  };
}

/** @param rawUntil expiry of this raw key by rotation; undefined if the record no longer admits the raw key */
function readStatus(record: KeyRecord, rawUntil: string | undefined, nowMs: number): KeyStatus {
  const status = statusOf(record, nowMs);
  if (status !== 'active') return status;
  return rawUntil === undefined || (rawUntil !== '' && !(Number(rawUntil) > nowMs)) ? 'expired' : 'active';
}
