import type { RedisSettings } from './client.ts';

/** Where Redis is looked for, for people: `redis.addr` says nothing where there is a group. */
export function describedRedis({ addr, cluster, sentinel }: RedisSettings): string {
  if (cluster.addrs.length > 0) return `cluster ${cluster.addrs.join(', ')}`;
  if (sentinel.addrs.length > 0) return `sentinel ${sentinel.addrs.join(', ')}`;
  return addr;
}
