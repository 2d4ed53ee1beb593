import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createKeyStore } from '../../../src/auth/key-store.ts';
import { createApprovals, type Approvals } from '../../../src/escalation/approvals.ts';
import type { ApprovalResult, Escalation } from '../../../src/escalation/escalation.ts';
import { createRedisEscalationStore } from '../../../src/escalation/redis-store.ts';
import { newEscalation } from '../../support/new-escalation.ts';
import { startTestPage, type PageAnswer, type Visitor } from '../../support/operator/page.ts';
import { startTestRedis } from '../../support/redis.ts';
import { runCli } from '../../support/run-cli.ts';

const SECRET = '0123456789abcdef0123456789abcdef';
const ZSP = { escalation_enabled: true, escalation_secret: SECRET };
const ROUNDS = 6;

const redis = await startTestRedis();
afterAll(() => redis.close());
const page = await startTestPage(redis, { zsp: ZSP, audit: { enabled: true, stdout: false } });
afterAll(() => page.close());
const folder = await mkdtemp(join(tmpdir(), 'gw-two-at-once-'));
const config = join(folder, 'gateway.yaml');
await writeFile(config, JSON.stringify({ zsp: ZSP, audit: { enabled: true, stdout: false } }));
afterAll(async () => {
  await rm(folder, { recursive: true });
});
afterEach(() => redis.flush());

/** The part of a gateway that waits for approvals. */
function startGateway(): { readonly approvals: Approvals; next(): Promise<Escalation> } {
  let { promise, resolve } = Promise.withResolvers<Escalation>();
  const approvals = createApprovals({
    store: createRedisEscalationStore({ client: redis.client, deadlineMs: 2_000 }),
    secret: SECRET,
    maxPending: 20,
    maxPendingPerKey: 20,
    observer: {
      opened: (escalation) => resolve(escalation),
      resolved: () => undefined,
      refused: () => undefined,
      answerRefused: () => undefined,
      notClosed: () => undefined,
    },
    pollEveryMs: 20,
  });
  return {
    approvals,
    async next() {
      const opened = await promise;
      ({ promise, resolve } = Promise.withResolvers<Escalation>());
      return opened;
    },
  };
}

function ask({ approvals }: { readonly approvals: Approvals }): Promise<ApprovalResult> {
  const { id: _id, nonce: _nonce, ...request } = newEscalation();
  return approvals.ask(request, { until: performance.now() + 20_000, gone: new AbortController().signal });
}

function answer(visitor: Visitor, id: string, decision: 'approve' | 'deny'): Promise<PageAnswer> {
  return visitor.ask(`/api/escalations/${id}/${decision}`, {
    method: 'POST',
    body: { reason: 'looked at it' },
  });
}

describe('two simultaneous answers to one request', () => {
  it('from the page and from a command: one counts, and the other person learns of it', async () => {
    const gateway = startGateway();
    const ada = await page.visitor({ role: 'approver', subject: 'ada', name: 'Ada' });
    for (let round = 0; round < ROUNDS; round += 1) {
      const asked = ask(gateway);
      const { id } = await gateway.next();
      const command = runCli(redis, ['--config', config, 'escalations', 'deny', id, '--as', 'Bob']);
      const [onPage, byCommand, result] = await Promise.all([answer(ada, id, 'approve'), command, asked]);
      const isApproved = result.kind === 'approved';
      expect(result).toMatchObject(
        isApproved ? { kind: 'approved', approver: 'Ada' } : { kind: 'denied', approver: 'Bob' },
      );
      expect([onPage.status, byCommand.code]).toEqual(isApproved ? [200, 1] : [409, 0]);
      if (isApproved)
        expect(byCommand.stderr).toMatch(/Ada has already approved|already approved|is waiting/);
      else expect(onPage.json()['detail']).toMatch(/Bob has already denied|already denied|is waiting/);
    }
    gateway.approvals.close();
    const trail = await redis.client.xrange('gateway:audit', '-', '+');
    expect(trail.length).toBe(ROUNDS);
  });

  it('from two people on the page: one counts', async () => {
    const gateway = startGateway();
    const ada = await page.visitor({ role: 'approver', subject: 'ada', name: 'Ada' });
    const bob = await page.visitor({ role: 'approver', subject: 'bob', name: 'Bob' });
    for (let round = 0; round < ROUNDS; round += 1) {
      const asked = ask(gateway);
      const { id } = await gateway.next();
      const [one, other, result] = await Promise.all([
        answer(ada, id, 'approve'),
        answer(bob, id, 'deny'),
        asked,
      ]);
      const winner = result.kind === 'approved' ? one : other;
      const loser = result.kind === 'approved' ? other : one;
      expect(winner.json()).toEqual({ id, outcome: result.kind, changed: true });
      expect(loser.status).toBe(409);
    }
    gateway.approvals.close();
  });
});

describe('two tabs of one session', () => {
  it('end together: a change from the other tab is refused after the sign-out', async () => {
    const tab = await page.visitor({ role: 'admin' });
    expect((await tab.ask('/api/sign-out', { method: 'POST' })).status).toBe(204);
    const other = await tab.ask('/api/keys', {
      method: 'POST',
      body: { reason: 'too late', name: 'new', provider: 'openai' },
    });
    expect(other.status).toBe(401);
    expect(other.json()['type']).toBe('not_signed_in');
    expect(await redis.client.exists('gateway:keys')).toBe(0);
    // Signing out twice is not an error.
    expect((await tab.ask('/api/sign-out', { method: 'POST' })).status).toBe(401);
  });

  it('make one change for one Idempotency-Key, and another session of the same person gets the same answer', async () => {
    const ada = { role: 'operator', subject: 'ada', name: 'Ada' } as const;
    const [phone, laptop] = [await page.visitor(ada), await page.visitor(ada)];
    const lock = (visitor: Visitor, from: string) =>
      visitor.ask('/api/keys/planner/lock', {
        method: 'POST',
        body: { reason: 'stop it', for: '5m' },
        headers: { 'idempotency-key': 'same', 'user-agent': from },
      });
    await createKeyStore(redis.client).create({ name: 'planner', provider: 'openai' });
    const first = await lock(phone, 'phone');
    const second = await lock(laptop, 'laptop');
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.text).toBe(first.text);
  });
});
