import { defaultConfig } from '../support/default-config.ts';
import { connectRedis, waitUntilReady, type RedisClient } from '../../src/redis/client.ts';

/** Counts since the start of Redis, of all clients. */
export interface RedisCounts {
  readonly scripts: number;
  readonly commands: number;
  /** Commands sent in one turn arrive in one read. */
  readonly reads: number;
}

/** Counts the commands of Redis. Each reading itself takes two commands. */
export async function createRedisCounts(
  port: number,
): Promise<{ read(): Promise<RedisCounts>; close(): void }> {
  const redis = await connect(port);
  return {
    async read() {
      return countsOf(await redis.info('stats'), await redis.info('commandstats'));
    },
    close: () => {
      redis.disconnect();
    },
  };
}

/** Returns the names of the keys that a glob pattern matches. */
export async function redisKeys(port: number, pattern: string): Promise<readonly string[]> {
  const redis = await connect(port);
  try {
    return await redis.keys(pattern);
  } finally {
    redis.disconnect();
  }
}

async function connect(port: number): Promise<RedisClient> {
  const redis = connectRedis(
    { ...defaultConfig().redis, addr: `127.0.0.1:${String(port)}` },
    { name: 'bench' },
  );
  await waitUntilReady(redis, 10_000);
  return redis;
}

/** From the answers of INFO. */
function countsOf(stats: string, commandstats: string): RedisCounts {
  const stat = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(stats)?.[1] ?? 0);
  return {
    scripts: Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(commandstats)?.[1] ?? 0),
    commands: stat('total_commands_processed'),
    reads: stat('total_reads_processed'),
  };
}
