import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { signApproval } from '../../../src/escalation/approval.ts';
import { createApprovals, type ApprovalRequest, type Approvals } from '../../../src/escalation/approvals.ts';
import type { Escalation } from '../../../src/escalation/escalation.ts';
import { createRedisEscalationStore } from '../../../src/escalation/redis-store.ts';
import { newEscalation } from '../../support/new-escalation.ts';
import { useTestRedis } from '../../support/redis.ts';

const SECRET = 'the secret of all approvers';
const observer = {
  opened: () => undefined,
  resolved: () => undefined,
  refused: () => undefined,
  answerRefused: () => undefined,
  notClosed: () => undefined,
};

const redis = useTestRedis();

function answerTo(
  { id, nonce, key_hash, request_digest, expiry }: Escalation,
  decision: 'approve' | 'deny' = 'approve',
): string {
  const answer = {
    id,
    nonce,
    key_hash,
    request_digest,
    expiry,
    decision,
    approver: 'ada',
  } as const;
  return JSON.stringify(signApproval(answer, SECRET));
}

it('accepts an answer that arrives as soon as the request is readable, before the gateway knows that it is stored', async () => {
  const store = createRedisEscalationStore({ client: redis.client, deadlineMs: 2_000 });
  const approvals: Approvals = createApprovals({
    store: {
      ...store,
      open: async (...args) => {
        const opened = await store.open(...args);
        if (opened.kind === 'opened')
          approvals.handleAnswer(opened.escalation.id, answerTo(opened.escalation));
        return opened;
      },
    },
    secret: SECRET,
    maxPending: 5,
    maxPendingPerKey: 5,
    observer,
    pollEveryMs: 60_000,
  });
  const { id: _id, nonce: _nonce, ...request } = newEscalation();
  const wait = { until: performance.now() + 5_000, gone: new AbortController().signal };
  expect(await approvals.ask(request, wait)).toMatchObject({ kind: 'approved', approver: 'ada' });
  approvals.close();
});

/** One gateway's approvals on the shared Redis; `opened` has the requests that people see. */
function gatewayOf(maxPendingPerKey = 5) {
  const opened: Escalation[] = [];
  const refusals: string[] = [];
  const approvals = createApprovals({
    store: createRedisEscalationStore({ client: redis.client, deadlineMs: 2_000 }),
    secret: SECRET,
    maxPending: 20,
    maxPendingPerKey,
    observer: {
      ...observer,
      opened: (asked) => void opened.push(asked),
      refused: (reason) => void refusals.push(reason),
    },
    pollEveryMs: 50,
  });
  return { opened, refusals, approvals };
}

function requestOf(more: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const { id: _id, nonce: _nonce, ...request } = newEscalation(more);
  return request;
}

const patient = (ms = 10_000) => ({ until: performance.now() + ms, gone: new AbortController().signal });

describe('equal requests of one key', () => {
  it('share one place, over two gateways, and each needs its own approval', async () => {
    const gateways = [gatewayOf(1), gatewayOf(1)];
    const request = requestOf({ key_hash: 'sha256:equal' });
    const asked = gateways.flatMap(({ approvals }) => [
      approvals.ask(request, patient()),
      approvals.ask(request, patient()),
    ]);
    const answered = new Set<string>();
    const opened = () => gateways.flatMap((one) => one.opened);
    let done = 0;
    for (const one of asked) void one.then(() => (done += 1));
    for (let turn = 1; turn <= 4; turn++) {
      await expect.poll(() => opened().length, { timeout: 5_000 }).toBe(turn);
      await delay(150);
      expect([opened().length, done]).toEqual([turn, turn - 1]);
      const waiting = opened().find(({ id }) => !answered.has(id));
      if (waiting === undefined) throw new Error('nothing waits');
      answered.add(waiting.id);
      for (const { approvals } of gateways) approvals.handleAnswer(waiting.id, answerTo(waiting));
    }
    expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(Array(4).fill('approved'));
    expect(gateways.flatMap(({ refusals }) => refusals)).toEqual([]);
    for (const { approvals } of gateways) approvals.close();
  });

  it('are denied together', async () => {
    const { approvals, opened } = gatewayOf();
    const request = requestOf({ key_hash: 'sha256:denied' });
    const asked = [1, 2, 3].map(() => approvals.ask(request, patient()));
    await expect.poll(() => opened.length).toBe(1);
    const [first] = opened;
    if (first === undefined) throw new Error('nothing waits');
    approvals.handleAnswer(first.id, answerTo(first, 'deny'));
    expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(['denied', 'denied', 'denied']);
    expect(opened).toHaveLength(1);
    approvals.close();
  });

  it('leave the queue when their clients disconnect or their time is over', async () => {
    const { approvals, opened } = gatewayOf();
    const request = requestOf({ key_hash: 'sha256:leaves' });
    const first = approvals.ask(request, patient(1_000));
    const client = new AbortController();
    const gone = approvals.ask(request, { until: performance.now() + 10_000, gone: client.signal });
    const late = approvals.ask(request, patient(200));
    client.abort();
    expect([await gone, await late]).toEqual([{ kind: 'withdrawn' }, { kind: 'timeout' }]);
    expect(await first).toEqual({ kind: 'timeout' });
    expect(opened).toHaveLength(1);
    const next = approvals.ask(request, patient());
    await expect.poll(() => opened.length).toBe(2);
    const [, second] = opened;
    if (second === undefined) throw new Error('nothing waits');
    approvals.handleAnswer(second.id, answerTo(second));
    expect(await next).toMatchObject({ kind: 'approved' });
    approvals.close();
  });

  it('are limited in number to the places of the key', async () => {
    const { approvals, refusals } = gatewayOf(2);
    const request = requestOf({ key_hash: 'sha256:crowd' });
    const asked = [1, 2, 3, 4, 5].map(() => approvals.ask(request, patient(300)));
    expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual([
      'timeout',
      'timeout',
      'timeout',
      'over_share',
      'over_share',
    ]);
    expect(refusals).toEqual(['over_share', 'over_share']);
    approvals.close();
  });
});

it('a key that has its share, over two gateways, prevents no other key from asking', async () => {
  const [first, second] = [gatewayOf(2), gatewayOf(2)];
  const key_hash = 'sha256:heavy';
  const heavy = [first, second].flatMap(({ approvals }) =>
    [1, 2, 3].map(() => approvals.ask(requestOf({ key_hash }), patient(800))),
  );
  const kinds = (await Promise.all(heavy)).map(({ kind }) => kind).toSorted();
  expect(kinds).toEqual(['over_share', 'over_share', 'over_share', 'over_share', 'timeout', 'timeout']);
  const other = first.approvals.ask(requestOf({ key_hash: 'sha256:light' }), patient());
  await expect.poll(() => first.opened.find((one) => one.key_hash === 'sha256:light')).toBeDefined();
  const asked = first.opened.find((one) => one.key_hash === 'sha256:light');
  if (asked === undefined) throw new Error('nothing waits');
  first.approvals.handleAnswer(asked.id, answerTo(asked));
  expect(await other).toMatchObject({ kind: 'approved' });
  for (const { approvals } of [first, second]) approvals.close();
});
