import { afterEach, expect, it } from 'vitest';

import { createHeldAttemptCounts, createHeldAttemptStore } from '../../../src/auth/held-attempts-store.ts';
import { heldAttemptsKey, quarantineKey } from '../../../src/redis/keys.ts';
import { riskSettings } from '../../../src/risk/store.ts';
import { createRedisRiskStore } from '../../../src/risk/redis-store.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { useTestRedis } from '../../support/redis.ts';

const KEY = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;

const redis = useTestRedis();

afterEach(() => redis.flush());

const place = () => ({ client: redis.client, deadlineMs: 5_000 });
const risks = () => createRedisRiskStore({ ...place(), settings: riskSettings(defaultConfig()) });

function counts() {
  const failures: unknown[] = [];
  const onNoteFailed = (failure: unknown) => failures.push(failure);
  return { failures, ...createHeldAttemptCounts({ client: redis.client, onNoteFailed }) };
}

async function attempts(keyHash: string): Promise<number | undefined> {
  return (await createHeldAttemptStore(place()).read(keyHash))?.attempts;
}

it('are added up over workers, until the lock ends', async () => {
  await risks().lock(KEY, 60_000, 'one');
  const [one, other] = [counts(), counts()];
  for (let nth = 0; nth < 3; nth += 1) for (const worker of [one, other]) worker.count(KEY, 'lock');
  await expect.poll(() => attempts(KEY), { timeout: 5_000 }).toBe(6);
  const { lastAt } = (await createHeldAttemptStore(place()).read(KEY)) ?? { lastAt: 0 };
  expect(Math.abs(Date.now() - lastAt)).toBeLessThan(10_000);
  const [lock, counted] = [quarantineKey(KEY), heldAttemptsKey(KEY)];
  const [left, life] = [await redis.client.pttl(lock), await redis.client.pttl(counted)];
  expect(Math.abs(left - life)).toBeLessThan(1_000);
  expect([...one.failures, ...other.failures]).toEqual([]);
});

it('are removed when the key is released, including those in flight', async () => {
  await risks().lock(KEY, 60_000, 'one');
  await risks().lock(OTHER, 60_000, 'two');
  const worker = counts();
  worker.count(KEY, 'lock');
  await expect.poll(() => attempts(KEY), { timeout: 5_000 }).toBe(1);
  worker.count(KEY, 'lock');
  worker.count(OTHER, 'lock');
  await risks().release(KEY);
  await expect.poll(() => attempts(OTHER), { timeout: 5_000 }).toBe(1);
  expect(await attempts(KEY)).toBeUndefined();
});

it('of a blocked key are removed when its risk is reset', async () => {
  counts().count(KEY, 'block');
  await expect.poll(() => attempts(KEY), { timeout: 5_000 }).toBe(1);
  expect(await redis.client.pttl(heldAttemptsKey(KEY))).toBeGreaterThan(29 * 86_400_000);
  await risks().reset(KEY, 'reset');
  expect(await attempts(KEY)).toBeUndefined();
});
