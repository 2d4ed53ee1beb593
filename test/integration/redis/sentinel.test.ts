import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRedisRiskStore } from '../../../src/risk/redis-store.ts';
import { createAcknowledgement } from '../../../src/redis/acknowledged.ts';
import { connectRedis, waitUntilReady, type RedisClient } from '../../../src/redis/client.ts';
import { quarantineKey } from '../../../src/redis/keys.ts';
import { checkServer } from '../../../src/redis/server-check.ts';
import { until } from '../../support/redis-node.ts';
import { startTestSentinel, type TestSentinel } from '../../support/redis-sentinel.ts';
import { DEFAULTS } from '../../contracts/risk-store.ts';
import { walkStores } from '../../support/redis-walk.ts';
import {
  budgetStore,
  newKeyHash,
  redisSettings,
  reservation,
  USD,
  windowStatus,
} from '../checks/budget/support.ts';

const READ_TIMEOUT_MS = 500;
const DEADLINE_MS = 1_000;
/** Time for the sentinels to wait (1 s), agree and promote, and for a client of a frozen server to notice. */
const RECOVERS_WITHIN_MS = 10_000;

let group: TestSentinel;
let client: RedisClient;

beforeAll(async () => {
  group = await startTestSentinel();
  const sentinel = { addrs: [...group.addrs], master_name: group.masterName, password: '' };
  const settings = redisSettings('127.0.0.1:1', { sentinel, read_timeout: READ_TIMEOUT_MS });
  client = connectRedis(settings, { name: 'sentinel-test' });
  await waitUntilReady(client, 10_000);
});
afterAll(async () => {
  client.disconnect();
  await group.close();
});

it('every store works on the master that the sentinels name', async () => {
  await walkStores(client, newKeyHash());
  expect((await checkServer(client)).problems).toEqual([]);
});

it('a lock is set once a replica has it, and is refused, though written, if none acknowledges it', async () => {
  const sentinel = { addrs: [...group.addrs], master_name: group.masterName, password: '' };
  const settings = redisSettings('127.0.0.1:1', { sentinel, wait_replicas: 1, wait_timeout: 500 });
  const acknowledgement = createAcknowledgement(settings, 'test');
  const risks = createRedisRiskStore({ client, deadlineMs: 2_500, settings: DEFAULTS, acknowledgement });
  const [kept, alone] = [newKeyHash(), newKeyHash()];
  try {
    expect(await risks.lock(kept, 60_000, 'one', { kind: 'operator' })).toMatchObject({ ttlMs: 60_000 });
    expect(await group.replica.client.exists(quarantineKey(kept))).toBe(1);

    group.replica.signal('SIGSTOP');
    const locked = risks.lock(alone, 60_000, 'two', { kind: 'operator' }).catch((cause: unknown) => cause);
    // Other commands do not wait for the replica.
    const asked = performance.now();
    await expect.poll(async () => (await risks.read(alone)).lock).toBeDefined();
    expect(performance.now() - asked).toBeLessThan(400);
    const refused = await locked;
    expect(refused).toMatchObject({ type: 'redis_unavailable' });
    expect(refused instanceof Error && String(refused.cause)).toContain('redis.wait_replicas');
    group.replica.signal('SIGCONT');
    await expect
      .poll(() => risks.lock(alone, 70_000, 'three', { kind: 'operator' }).catch(() => undefined))
      .toMatchObject({ ttlMs: 70_000 });
  } finally {
    acknowledgement?.close();
  }
});

it('a hung master is refused within the deadline until its replica has taken over; then everything continues', async () => {
  const keyHash = newKeyHash();
  const store = budgetStore(client, { deadlineMs: DEADLINE_MS });
  const reserve = () => store.reserve(reservation(keyHash, { daily: 100 * USD }, USD));
  await reserve();
  expect(await group.master.client.wait(1, 1_000)).toBe(1);

  group.master.signal('SIGSTOP');
  const stopped = performance.now();
  await expect(reserve()).rejects.toMatchObject({ type: 'redis_unavailable' });
  expect(performance.now() - stopped).toBeLessThan(DEADLINE_MS + 500);
  await until(async () => (await reserve()).kind === 'reserved', 'the replica serves');
  expect(performance.now() - stopped).toBeLessThan(RECOVERS_WITHIN_MS);
  // Writes acknowledged by the replica are there; refused ones changed nothing.
  expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ reserved: 2 * USD });
  // A promoted server may close the connection again.
  await until(async () => {
    await walkStores(client, newKeyHash());
    return true;
  }, 'all stores serve');
  expect(performance.now() - stopped).toBeLessThan(RECOVERS_WITHIN_MS);

  // After its return it still acts as master until a sentinel corrects it: it may serve no request.
  group.master.signal('SIGCONT');
  for (let round = 0; round < 20; round++) expect((await reserve()).kind).toBe('reserved');
  expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ reserved: 22 * USD });
});
