import { Cluster, type Redis } from 'ioredis';
import { connectRedis, waitUntilReady, type RedisClient, type RedisSettings } from './client.ts';

/** Writes once more what was written, and resolves when `redis.wait_replicas` replicas have it. */
export interface Acknowledgement {
  /**
   * @param key of what is written: it says which master of a cluster has it
   * @param write safe to repeat
   * @throws Error where fewer have it within `redis.wait_timeout`; it is written all the same
   */
  confirm(key: string, write: (master: Redis) => Promise<unknown>): Promise<void>;
  close(): void;
}

/**
 * Undefined where no replica is waited for. `WAIT` knows of what its own connection wrote, and holds up all that is asked
 * behind it: so it has connections of its own, and writes on them itself.
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
      // A connection that was made since has written nothing, for which every replica vouches.
      if (master.stream === stream && acknowledged >= replicas) return;
      throw new Error(
        `written, but ${String(replicas)} of the replicas (redis.wait_replicas) did not acknowledge it in time`,
      );
    },
    close: () => client.disconnect(),
  };
}

async function masterOf(client: RedisClient, key: string): Promise<Redis> {
  if (!(client instanceof Cluster)) return client;
  // Whoever asks for a key is led to where its slot is now, and remembers it.
  await client.exists(key);
  const slot = Number(await client.cluster('KEYSLOT', key));
  const address = client.slots[slot]?.[0];
  const master = client
    .nodes('master')
    .find(({ options: { host, port } }) => `${String(host)}:${String(port)}` === address);
  if (master === undefined) throw new Error('the master of a slot is not known');
  return master;
}
