import { afterAll, beforeAll, expect, it } from 'vitest';
import { signApproval } from '../../../src/escalation/approval.ts';
import { createApprovals, type Approvals } from '../../../src/escalation/approvals.ts';
import type { Escalation } from '../../../src/escalation/escalation.ts';
import { createRedisEscalationStore } from '../../../src/escalation/redis-store.ts';
import { newEscalation } from '../../support/new-escalation.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

const SECRET = 'the secret of all approvers';
const observer = {
  opened: () => undefined,
  resolved: () => undefined,
  full: () => undefined,
  answerRefused: () => undefined,
  notClosed: () => undefined,
};

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.close());

function answerTo({ id, nonce, key_hash, request_digest, expiry }: Escalation): string {
  const answer = {
    id,
    nonce,
    key_hash,
    request_digest,
    expiry,
    decision: 'approve',
    approver: 'ada',
  } as const;
  return JSON.stringify(signApproval(answer, SECRET));
}

it('counts an answer that comes as soon as the request can be read, before the gateway has heard that it is kept', async () => {
  const store = createRedisEscalationStore({ client: redis.client, deadlineMs: 2_000 });
  const approvals: Approvals = createApprovals({
    store: {
      ...store,
      open: async (...args) => {
        const asked = await store.open(...args);
        if (asked !== undefined) approvals.heard(asked.id, answerTo(asked));
        return asked;
      },
    },
    secret: SECRET,
    maxPending: 5,
    observer,
    lookEveryMs: 60_000,
  });
  const { id: _id, nonce: _nonce, ...request } = newEscalation();
  const wait = { until: performance.now() + 5_000, gone: new AbortController().signal };
  expect(await approvals.ask(request, wait)).toMatchObject({ kind: 'approved', approver: 'ada' });
  approvals.close();
});
