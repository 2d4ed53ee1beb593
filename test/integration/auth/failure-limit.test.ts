import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFailureLimit } from '../../../src/auth/failure-limit.ts';
import type { RedisClient } from '../../../src/redis/client.ts';
import { useTestRedis } from '../../support/redis.ts';

const redis = useTestRedis();
let client: RedisClient;

beforeAll(async () => {
  client = await redis.connect();
});
beforeEach(() => redis.flush());

const ADDRESS = '192.0.2.7';

function start(now = () => 1_000) {
  const seen: boolean[] = [];
  const limit = createFailureLimit({
    client,
    maxFailuresPerMinute: 3,
    onFailure: ({ overLimit }) => seen.push(overLimit),
    now,
  });
  return { limit, seen };
}

const counter = (minute: number, address = ADDRESS) =>
  redis.client.get(`gateway:auth_failures:${address}:${String(minute)}`);

describe('failed authentications of one address', () => {
  it('are counted in Redis up to the limit and not beyond', async () => {
    const { limit, seen } = start();
    for (let failure = 0; failure < 10; failure++) limit.count(ADDRESS);

    await expect.poll(() => counter(0)).toBe('3');
    expect(seen).toEqual([false, false, false, ...Array.from({ length: 7 }, () => true)]);
    expect(await redis.client.pttl(`gateway:auth_failures:${ADDRESS}:0`)).toBeGreaterThan(60_000);
  });

  it('count for all instances together', async () => {
    const first = start();
    const second = start();
    first.limit.count(ADDRESS);
    first.limit.count(ADDRESS);
    await expect.poll(() => counter(0)).toBe('2');
    second.limit.count(ADDRESS);
    await expect.poll(() => counter(0)).toBe('3');
    await expect
      .poll(() => {
        second.limit.count(ADDRESS);
        return second.seen.at(-1);
      })
      .toBe(true);
  });

  it('expire with the minute, and do not affect other addresses', async () => {
    let time = 1_000;
    const { limit, seen } = start(() => time);
    for (let failure = 0; failure < 4; failure++) limit.count(ADDRESS);
    limit.count('198.51.100.1');
    time += 60_000;
    limit.count(ADDRESS);

    expect(seen).toEqual([false, false, false, true, false, false]);
    await expect.poll(() => counter(1)).toBe('1');
  });

  it('count together for a whole IPv6 /64', async () => {
    const { limit } = start();
    limit.count('2001:db8:1:2::1');
    limit.count('2001:db8:1:2:ffff::9');
    await expect.poll(() => counter(0, '2001:db8:1:2::/64')).toBe('2');
  });
});
