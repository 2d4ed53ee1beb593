import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { main } from '../../../cli/main.ts';
import { createRedisEscalationStore } from '../../../src/escalation/redis-store.ts';
import { escalationAnswerKey } from '../../../src/redis/keys.ts';
import { newEscalation } from '../../support/new-escalation.ts';
import { useTestRedis } from '../../support/redis.ts';

const redis = useTestRedis();
let folder = '';
let config = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gw-test-escalations-'));
  config = join(folder, 'gateway.yaml');
  await writeFile(
    config,
    'zsp: { escalation_enabled: true, escalation_secret: 0123456789abcdef0123456789abcdef }\n',
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function approve(id: string, approver: string) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const stdout = Object.assign(out, { isTTY: false });
  const env = { REDIS_ADDR: redis.addr, NO_COLOR: '1', SERVER_INSECURE_DEV: 'true' };
  const args = ['--config', config, 'escalations', 'approve', id, '--as', approver];
  const code = await main(args, { stdin: process.stdin, stdout, stderr: err, env });
  return { code, stdout: String(out.read() ?? ''), stderr: String(err.read() ?? '') };
}

/** The test acts as the gateway: it reports which answer it has accepted. */
async function approvedBy(approver: string, whose: string) {
  const store = createRedisEscalationStore({ client: redis.client, deadlineMs: 2_000 });
  const limits = { waitMs: 30_000, maxPending: 5, maxPendingPerKey: 5 };
  const opened = await store.open(newEscalation(), limits);
  if (opened.kind !== 'opened') throw new Error('there was no place');
  const { escalation } = opened;
  const answered = approve(escalation.id, approver);
  await expect
    .poll(() => redis.client.exists(escalationAnswerKey(escalation.id)), { timeout: 10_000 })
    .toBe(1);
  const end = {
    type: 'escalation.resolved',
    id: escalation.id,
    outcome: 'approved',
    approver: whose,
  } as const;
  await store.close(escalation, end);
  return answered;
}

it('answers no request if the prefix of an id matches two, or is too short', async () => {
  const store = createRedisEscalationStore({ client: redis.client, deadlineMs: 2_000 });
  const limits = { waitMs: 30_000, maxPending: 5, maxPendingPerKey: 5 };
  const ids = ['1', '2'].map((end) => `aaaaaaaa-0000-4000-8000-00000000000${end}`);
  const opened = [];
  for (const id of ids) opened.push(await store.open(newEscalation({ id }), limits));
  const several = await approve('aaaaaaaa', 'ada');
  expect(several).toMatchObject({ code: 2, stderr: expect.stringContaining('several waiting requests') });
  expect(await approve('aaaaa', 'ada')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no request aaaaa is waiting'),
  });
  for (const id of ids) expect(await redis.client.exists(escalationAnswerKey(id))).toBe(0);
  for (const one of opened) {
    if (one.kind !== 'opened') throw new Error('there was no place');
    await store.close(one.escalation, {
      type: 'escalation.resolved',
      id: one.escalation.id,
      outcome: 'timeout',
    });
  }
});

it('reports an approval only if the gateway has confirmed it', async () => {
  expect(await approvedBy('ada', 'ada')).toMatchObject({
    code: 0,
    stderr: expect.not.stringContaining('before'),
  });
  const second = await approvedBy('bob', 'ada');
  expect(second.code).toBe(1);
  expect(second.stderr).toContain('ada has already approved this request');
});
