import { defaultConfig } from '../support/default-config.ts';
import { connectRedis, waitUntilReady } from '../../src/redis/client.ts';

/** Since Redis started, of all clients. */
export interface RedisCounts {
  readonly scripts: number;
  readonly commands: number;
  /** What is sent in one turn comes in one read. */
  readonly reads: number;
}

/** Each reading is two commands itself. */
export async function createRedisCounts(
  port: number,
): Promise<{ read(): Promise<RedisCounts>; close(): void }> {
  const redis = connectRedis(
    { ...defaultConfig().redis, addr: `127.0.0.1:${String(port)}` },
    { name: 'bench' },
  );
  await waitUntilReady(redis, 10_000);
  return {
    async read() {
      return countsOf(await redis.info('stats'), await redis.info('commandstats'));
    },
    close: () => {
      redis.disconnect();
    },
  };
}

/** From the texts that INFO answers with. */
function countsOf(stats: string, commandstats: string): RedisCounts {
  const stat = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(stats)?.[1] ?? 0);
  return {
    scripts: Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(commandstats)?.[1] ?? 0),
    commands: stat('total_commands_processed'),
    reads: stat('total_reads_processed'),
  };
}
