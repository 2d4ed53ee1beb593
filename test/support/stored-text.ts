import type { Redis } from 'ioredis';

/** Returns every key of a Redis with all its data. */
export async function storedText(client: Redis): Promise<string> {
  const lines: string[] = [];
  for await (const page of client.scanStream({ count: 500 })) {
    for (const key of page as string[]) {
      lines.push(`${key} ${JSON.stringify(await contents(client, key, await client.type(key)))}`);
    }
  }
  return lines.join('\n');
}

function contents(client: Redis, key: string, type: string): Promise<unknown> {
  switch (type) {
    case 'string':
      return client.get(key);
    case 'hash':
      return client.hgetall(key);
    case 'set':
      return client.smembers(key);
    case 'zset':
      return client.zrange(key, '0', '-1');
    case 'list':
      return client.lrange(key, 0, -1);
    case 'stream':
      return client.xrange(key, '-', '+');
    default:
      return client.dumpBuffer(key);
  }
}
