import { statusOf, type KeyRecord } from './key-record.ts';

/** Returns a record with the member names of docs/keys.md. `now` is Redis time in Unix ms. */
export function recordJson(record: KeyRecord, now: number): Record<string, unknown> {
  return {
    key_hash: record.keyHash,
    name: record.name,
    provider: record.provider,
    status: statusOf(record, now),
    agent_name: record.agentName,
    owner: record.owner,
    allowed_tools: record.allowedTools,
    allowed_providers: record.allowedProviders,
    allowed_models: record.allowedModels,
    credentials: record.credentials,
    trust: record.trust,
    tags: record.tags,
    policy_overrides: record.policyOverrides,
    jwt_subject: record.jwtSubject,
    created_at: isoTime(record.createdAt),
    expires_at: isoTime(record.expiresAt),
    revoked_at: isoTime(record.revokedAt),
    last_used_at: isoTime(record.lastUsedAt),
  };
}

export function isoTime(timeMs: number | undefined): string | undefined {
  return timeMs === undefined ? undefined : new Date(timeMs).toISOString();
}
