import { createHmac, randomBytes } from 'node:crypto';
import type { RedisClient } from '../../redis/client.ts';
import { UI_CSRF_KEY } from '../../redis/keys.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';

/** Returns the CSRF token of a person identified by proxy, who has no session to hold one. */
export type CsrfTokenOf = (subject: string) => Promise<string>;

/** The key is in Redis, so all gateways compute the same tokens. Failures throw `redis_unavailable`. */
export function createCsrfTokens({
  client,
  deadlineMs,
}: {
  readonly client: RedisClient;
  readonly deadlineMs: number;
}): CsrfTokenOf {
  return (subject) =>
    withRedisDeadline(deadlineMs, async () => {
      const key = await client.get(UI_CSRF_KEY);
      return tokenOf(key ?? (await createKey(client)), subject);
    });
}

/** Returns another gateway's key if that was stored first. */
async function createKey(client: RedisClient): Promise<string> {
  await client.set(UI_CSRF_KEY, randomBytes(32).toString('base64url'), 'NX');
  const key = await client.get(UI_CSRF_KEY);
  if (key === null) throw new Error('Redis lost the key of CSRF tokens');
  return key;
}

function tokenOf(key: string, subject: string): string {
  return createHmac('sha256', key).update(subject).digest('base64url');
}
