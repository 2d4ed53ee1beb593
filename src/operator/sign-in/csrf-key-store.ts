import { createHmac, randomBytes } from 'node:crypto';
import type { RedisClient, RedisStoreOptions } from '../../redis/client.ts';
import { UI_CSRF_KEY } from '../../redis/keys.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';

/** Returns the CSRF token of a person identified by a proxy, who has no session to store one. */
export type CsrfTokenOf = (subject: string) => Promise<string>;

/** Stores the key in Redis, so that all gateways compute the same tokens. Failures throw `redis_unavailable`. */
export function createCsrfTokens({ client, deadlineMs }: RedisStoreOptions): CsrfTokenOf {
  return (subject) =>
    withRedisDeadline(deadlineMs, async () => {
      const key = await client.get(UI_CSRF_KEY);
      return tokenOf(key ?? (await createKey(client)), subject);
    });
}

/** Returns the key of another gateway if that gateway stored one first. */
async function createKey(client: RedisClient): Promise<string> {
  await client.set(UI_CSRF_KEY, randomBytes(32).toString('base64url'), 'NX');
  const key = await client.get(UI_CSRF_KEY);
  if (key === null) throw new Error('Redis lost the CSRF key');
  return key;
}

function tokenOf(key: string, subject: string): string {
  return createHmac('sha256', key).update(subject).digest('base64url');
}
