import { Cluster } from 'ioredis';
import type { RedisStoreOptions } from '../redis/client.ts';
import { KEY_INDEX, sessionsKey } from '../redis/keys.ts';
import { withRedisDeadline } from '../redis/unavailable.ts';
import type { Overview } from './api/schemas/traffic.ts';

/** Redis statistics. Failures throw `redis_unavailable`. */
export interface RedisInfoStore {
  /** Sums over all masters of a cluster. */
  read(): Promise<Overview['redis']>;
  countKeys(): Promise<number>;
  countSessions(keyHash: string): Promise<number>;
  /** Session ids of a key, most recently used first. */
  sessionIds(keyHash: string, from: number, count: number): Promise<readonly string[]>;
}

export function createRedisInfoStore({ client, deadlineMs }: RedisStoreOptions): RedisInfoStore {
  return {
    read: () =>
      withRedisDeadline(deadlineMs, async () => {
        const nodes = client instanceof Cluster ? client.nodes('master') : [client];
        const infos = await Promise.all(
          nodes.map(async (node) => ({ info: await node.info(), keys: await node.dbsize() })),
        );
        const sum = (field: string): number =>
          infos.reduce((all, { info }) => all + Number(infoField(info, field) ?? 0), 0);
        return {
          version: infoField(infos[0]?.info ?? '', 'redis_version') ?? 'unknown',
          used_memory_bytes: sum('used_memory'),
          max_memory_bytes: sum('maxmemory'),
          connected_clients: sum('connected_clients'),
          keys: infos.reduce((all, { keys }) => all + keys, 0),
        };
      }),
    countKeys: () => withRedisDeadline(deadlineMs, () => client.zcard(KEY_INDEX)),
    countSessions: (keyHash) => withRedisDeadline(deadlineMs, () => client.zcard(sessionsKey(keyHash))),
    sessionIds: (keyHash, from, count) =>
      withRedisDeadline(deadlineMs, () =>
        count <= 0 ? Promise.resolve([]) : client.zrevrange(sessionsKey(keyHash), from, from + count - 1),
      ),
  };
}

function infoField(info: string, field: string): string | undefined {
  const line = info.split('\r\n').find((candidate) => candidate.startsWith(`${field}:`));
  return line?.slice(field.length + 1);
}
