import { apiActivity, detectionFinding, type ApiEvent } from '../../../src/audit/ocsf.ts';
import { createStreamStore } from '../../../src/audit/stream-store.ts';
import { newOperationId } from '../../../src/operation-id.ts';
import type { TestRedis } from '../redis.ts';

export interface RecordedKey {
  readonly keyHash: string;
  readonly name: string;
  readonly owner?: string | undefined;
}

/** Returns the record of a finished request of a key. */
export function requestRecord(
  key: RecordedKey,
  requestId: string,
  more: Partial<ApiEvent> & { readonly unmapped?: object } = {},
): object {
  return apiActivity({
    requestId,
    message: 'answered',
    severity: 'informational',
    disposition: 'allowed',
    actor: { uid: key.keyHash, name: key.name, owner: key.owner, sessionId: 's1' },
    resources: [{ type: 'proxy_key', name: key.name }],
    activity: 'create',
    operation: 'chat',
    service: 'openai',
    clientAddress: '10.0.0.1',
    model: 'gpt-4o',
    status: 200,
    durationMs: 12,
    tokens: { input: 10, output: 20 },
    authorizations: [{ decision: 'flagged', policy: { name: 'dlp', desc: 'seen' } }],
    ...more,
    unmapped: { stage: 'finished', outcome: 'done', cost_usd: 0.25, reserved_usd: 0.5, ...more.unmapped },
  });
}

/** Returns the record of a DLP finding in a request. */
export function findingRecord(key: RecordedKey, requestId: string): object {
  return detectionFinding({
    requestId,
    detector: 'dlp',
    title: 'found in the request',
    message: 'email',
    severity: 'low',
    disposition: 'detected',
    owasp: ['LLM02'],
    evidences: [{ rule: 'email', class: 'email', start: 5, end: 21, digest: 'abc', place: 'messages.0' }],
    actor: { uid: key.keyHash, name: key.name, owner: key.owner },
    resources: [{ type: 'proxy_key', name: key.name }],
    unmapped: {},
  });
}

export function appendRecords(redis: TestRedis, records: readonly object[]): Promise<void> {
  return createStreamStore({ client: redis.client, deadlineMs: 5_000, maxLength: 100_000 }).append(
    records.map((record) => JSON.stringify(record)),
    newOperationId(),
  );
}
