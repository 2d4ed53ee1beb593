import { afterAll, describe, expect, it } from 'vitest';

import { startTestRedis, type TestRedis } from '../../support/redis.ts';

describe('a Redis of our own', () => {
  const started: TestRedis[] = [];
  afterAll(async () => {
    await Promise.all(started.map((redis) => redis.close()));
  });
  async function start(options?: Parameters<typeof startTestRedis>[0]): Promise<TestRedis> {
    const redis = await startTestRedis(options);
    started.push(redis);
    return redis;
  }

  it('answers on a free loopback port, never evicts and stores nothing on disk', async () => {
    const redis = await start();
    expect(await redis.client.ping()).toBe('PONG');
    expect(await redis.client.config('GET', 'maxmemory-policy')).toContain('noeviction');
    expect(await redis.client.config('GET', 'save')).toContain('');
    expect(
      Number.parseInt(/redis_version:(\d+)/.exec(await redis.client.info('server'))?.[1] ?? '', 10),
    ).toBeGreaterThanOrEqual(7);
  });

  it('runs beside another one', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    await one.client.set('name', 'one');
    expect(await two.client.get('name')).toBeNull();
  });

  it('requires the given password', async () => {
    const redis = await start({ password: 'correct horse' });
    expect(await redis.client.ping()).toBe('PONG');
    const stranger = redis.client.duplicate({ password: undefined, lazyConnect: true, retryStrategy: null });
    stranger.on('error', () => undefined);
    await expect(stranger.get('x')).rejects.toThrow(/NOAUTH/);
    stranger.disconnect();
  });

  it('comes back empty on the same port after a stop', async () => {
    const redis = await start();
    await redis.client.set('name', 'before');
    await redis.restart();
    expect(await redis.client.get('name')).toBeNull();
  });

  it('answers nothing while it is paused, and continues afterwards', async () => {
    const redis = await start();
    await redis.pause();
    const answer = redis.client.ping();
    const first = await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 300, 'silence'))]);
    expect(first).toBe('silence');
    await redis.resume();
    expect(await answer).toBe('PONG');
  });
});
