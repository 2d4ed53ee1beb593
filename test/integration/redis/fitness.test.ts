import { afterEach, describe, expect, it } from 'vitest';
import { configSchema } from '../../../src/config/schema.ts';
import { connectRedis, waitUntilReady } from '../../../src/redis/client.ts';
import { CHECK_EVERY_MS, createFitness } from '../../../src/redis/fitness.ts';
import { watchRedis } from '../../../src/runtime/redis-watch.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { redisSettings } from '../checks/budget/support.ts';

const OFTEN_MS = 50;
const REMEDY = 'CONFIG SET maxmemory-policy noeviction';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

async function server(): Promise<TestRedis> {
  const redis = await startTestRedis();
  cleanUp.push(() => redis.close());
  return redis;
}

describe('a maxmemory-policy that changes while Redis runs', () => {
  it('is checked several times a minute', () => {
    expect(CHECK_EVERY_MS).toBeLessThanOrEqual(20_000);
  });

  it('makes a worker refuse requests until it is noeviction again', async () => {
    const redis = await server();
    const client = connectRedis(redisSettings(redis.addr), { name: 'test' });
    cleanUp.push(() => client.disconnect());
    await waitUntilReady(client, 5_000);
    const problems: string[] = [];
    const fitness = createFitness(client, {
      deadlineMs: 2_000,
      onProblem: (problem) => problems.push(problem),
      checkEveryMs: OFTEN_MS,
    });
    cleanUp.push(() => fitness.close());
    await fitness.assertFit();
    expect(fitness.fit).toBe(true);

    await redis.configSet('maxmemory-policy', 'allkeys-lru');
    await expect.poll(() => fitness.fit, { timeout: 5_000 }).toBe(false);
    await expect(fitness.assertFit()).rejects.toMatchObject({ type: 'redis_unavailable' });
    expect(problems).toContainEqual(expect.stringContaining(REMEDY));

    await redis.configSet('maxmemory-policy', 'noeviction');
    await expect
      .poll(
        () =>
          fitness.assertFit().then(
            () => fitness.fit,
            () => false,
          ),
        { timeout: 5_000 },
      )
      .toBe(true);
  });

  it('makes the gateway unready, with the remedy in the log, until it is noeviction again', async () => {
    const redis = await server();
    let lines = '';
    const log = createLogger('info', {}, { write: (line: string) => void (lines += line) });
    const written = configSchema.parse({ redis: { addr: redis.addr } });
    const config = { ...written, server: { ...written.server, insecure_dev: false } };
    const watch = await watchRedis(config, log, OFTEN_MS);
    cleanUp.push(() => watch.close());
    expect(watch.unfit).toBe(false);

    await redis.configSet('maxmemory-policy', 'volatile-ttl');
    await expect.poll(() => watch.unfit, { timeout: 5_000 }).toBe(true);
    expect(lines).toContain(REMEDY);

    await redis.configSet('maxmemory-policy', 'noeviction');
    await expect.poll(() => watch.unfit, { timeout: 5_000 }).toBe(false);
  });
});
