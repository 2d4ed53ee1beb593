import { Cluster, type Redis } from 'ioredis';
import { connectRedis, waitUntilReady, type RedisClient, type RedisSettings } from './client.ts';

export interface Acknowledgement {
  /**
   * Repeats a write and waits until `redis.wait_replicas` replicas have it.
   * @param key determines the master in a cluster
   * @throws Error if too few replicas have the write within `redis.wait_timeout`; the write stays nevertheless
   */
  confirm(key: string, write: (master: Redis) => Promise<unknown>): Promise<void>;
  close(): void;
}

/**
 * Returns undefined if `redis.wait_replicas` is 0. `WAIT` covers only writes on its own connection and blocks later
 * commands there, so this repeats the write on a separate connection.
 */
export function createAcknowledgement(settings: RedisSettings, name: string): Acknowledgement | undefined {
  const { wait_replicas: replicas, wait_timeout: timeoutMs } = settings;
  if (replicas === 0) return undefined;
  const client = connectRedis(settings, { name: `${name}-locks` });
  return {
    async confirm(key, write) {
      await waitUntilReady(client, timeoutMs);
      const master = await masterOf(client, key);
      const { stream } = master;
      await write(master);
      const acknowledged = await master.wait(replicas, timeoutMs);
      // An acknowledgement on a newer connection does not cover the write.
      if (master.stream === stream && acknowledged >= replicas) return;
      throw new Error(
        `written, but too few replicas acknowledged it in time (redis.wait_replicas: ${String(replicas)})`,
      );
    },
    close: () => client.disconnect(),
  };
}

async function masterOf(client: RedisClient, key: string): Promise<Redis> {
  if (!(client instanceof Cluster)) return client;
  // This command follows redirects, which the client then remembers.
  await client.exists(key);
  const slot = Number(await client.cluster('KEYSLOT', key));
  const address = client.slots[slot]?.[0];
  const master = client
    .nodes('master')
    .find(({ options: { host, port } }) => `${String(host)}:${String(port)}` === address);
  if (master === undefined) throw new Error('no master is known for a cluster slot');
  return master;
}
