import type { RedisClient } from '../../src/redis/client.ts';

/** How many scripts a Redis has run so far. */
export async function scriptRuns(client: RedisClient): Promise<number> {
  const stats = await client.info('commandstats');
  const calls = [...stats.matchAll(/^cmdstat_(?:evalsha|eval):calls=(\d+)/gm)].map(([, count]) =>
    Number(count),
  );
  return calls.reduce((sum, count) => sum + count, 0);
}
