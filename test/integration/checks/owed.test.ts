import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRedisBudgetStore } from '../../../src/checks/budget/redis-store.ts';
import { windowAccounts } from '../../../src/checks/budget/accounts.ts';
import { createRedisSessionStore } from '../../../src/checks/session/redis-store.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { startRig, type Asked, type Rig } from './each-check/rig.ts';

/** Writes that failed at the end of a call are pending: they are done before the connection closes. */
let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.close());
afterEach(() => allowScripts(true));

const LIMITS = { daily: 60_000_000 };
const ANSWER = {
  id: 'c',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
};

async function allowScripts(isAllowed: boolean): Promise<void> {
  const sign = isAllowed ? '+' : '-';
  await redis.client.acl('SETUSER', 'default', `${sign}eval`, `${sign}evalsha`);
}

/** Ends a call while Redis refuses every script, and closes the checks as soon as it accepts them again. */
async function endAndClose(rig: Rig, end: () => Promise<unknown>): Promise<void> {
  await allowScripts(false);
  await end();
  await allowScripts(true);
  await rig.close();
}

async function sessionOf({ exchange }: Asked) {
  const store = createRedisSessionStore({
    client: redis.client,
    deadlineMs: 5_000,
    ttlMs: 60_000,
    maxPerKey: 0,
  });
  const { keyHash } = exchange.key;
  return store.peek({ keyHash, sessionId: exchange.facts.session?.id ?? '' });
}

async function budgetOf({ exchange }: Asked) {
  const store = createRedisBudgetStore({ client: redis.client, deadlineMs: 5_000, alertPercents: [] });
  const [status] = await store.status(exchange.key.keyHash, windowAccounts(LIMITS));
  return { spent: status?.spentNanoUsd, reserved: status?.reservedNanoUsd };
}

describe('the checks of a stopping sidecar write their pending', () => {
  it('charge of an answer', async () => {
    const rig = await startRig(redis.addr);
    const asked = await rig.chat('hi', { key: { keyHash: `sha256:${randomUUID()}` }, limits: LIMITS });
    expect(await budgetOf(asked)).toMatchObject({ spent: 0 });
    await endAndClose(rig, () => rig.whole(asked, ANSWER).catch(() => undefined));
    expect(await budgetOf(asked)).toEqual({ spent: 5_000, reserved: 0 });
  });

  it('step of a call that was not made', async () => {
    const rig = await startRig(redis.addr);
    const request = { session: 'steps', key: { keyHash: `sha256:${randomUUID()}` } };
    const first = await rig.chat('one', request);
    await rig.whole(first, ANSWER);
    await rig.end(first);
    const second = await rig.chat('two', request);
    expect(await sessionOf(second)).toMatchObject({ steps: 2 });
    await endAndClose(rig, () => rig.end(second, 'not_forwarded'));
    expect(await sessionOf(second)).toMatchObject({ steps: 1 });
  });

  it('transition of a session by a call that was not made', async () => {
    const rig = await startRig(redis.addr);
    const request = { session: 'moves', key: { keyHash: `sha256:${randomUUID()}` } };
    const first = await rig.chat('hello', request);
    await rig.whole(first, ANSWER);
    await rig.end(first);
    const arming = await rig.chat('arming', request);
    expect(await sessionOf(arming)).toMatchObject({ state: 'SEEN' });
    await endAndClose(rig, () => rig.end(arming, 'not_forwarded'));
    expect((await sessionOf(arming))?.state).not.toBe('SEEN');
  });
});
