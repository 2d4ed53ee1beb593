import { statusOf, type KeyRecord } from '../../auth/key-record.ts';
import { lockCauseInWords } from '../../risk/lock-cause.ts';
import type { RiskStatus } from '../../risk/profile.ts';
import type { HeldAttempts } from '../../auth/held-attempts-store.ts';
import type { RedisOperations } from '../redis-operations.ts';
import { iso, isoOrNull } from '../views/time.ts';
import type { Key } from './schemas/keys.ts';

/** @param now Redis time in Unix ms */
export function keyView(
  record: KeyRecord,
  { risk, lock }: RiskStatus,
  held: HeldAttempts | undefined,
  now: number,
): Key {
  return {
    key_hash: record.keyHash,
    name: record.name,
    provider: record.provider,
    status: statusOf(record, now),
    agent_name: record.agentName ?? null,
    owner: record.owner ?? null,
    tags: { ...record.tags },
    allowed_tools: copied(record.allowedTools),
    allowed_providers: copied(record.allowedProviders),
    allowed_models: copied(record.allowedModels),
    credentials: copied(record.credentials),
    trust: copied(record.trust),
    policy_overrides: record.policyOverrides === undefined ? null : { ...record.policyOverrides },
    jwt_subject: record.jwtSubject ?? null,
    created_at: iso(record.createdAt),
    expires_at: isoOrNull(record.expiresAt),
    revoked_at: isoOrNull(record.revokedAt),
    last_used_at: isoOrNull(record.lastUsedAt),
    locked: lock !== undefined,
    locked_until: lock?.ttlMs === undefined ? null : iso(now + lock.ttlMs),
    lock_cause: lock?.cause === undefined ? null : lockCauseInWords(lock.cause),
    lock_request_id:
      lock?.cause !== undefined && 'request' in lock.cause ? (lock.cause.request ?? null) : null,
    held_attempts: held?.attempts ?? 0,
    last_held_attempt_at: isoOrNull(held?.lastAt),
    risk_score: risk.riskScore,
    blocked_at: isoOrNull(risk.blockedAt),
  };
}

/** Returns the view of a key, after reading the state that its record does not contain. */
export async function readKeyView(
  { risks, heldAttempts, readClock }: Pick<RedisOperations, 'heldAttempts' | 'readClock' | 'risks'>,
  record: KeyRecord,
): Promise<Key> {
  const [status, held, now] = await Promise.all([
    risks.read(record.keyHash),
    heldAttempts.read(record.keyHash),
    readClock(),
  ]);
  return keyView(record, status, held, now);
}

function copied(list: readonly string[] | undefined): string[] | null {
  return list === undefined ? null : [...list];
}
