import type { RedisClient } from '../redis/client.ts';
import { KEYS_BY_USE, USES_COMPLETE } from '../redis/keys.ts';

/** Longest difference between the two notes of one use, in the record and in the order. */
const SAME_USE_MS = 120_000;
/** How long the order counts as complete without a gateway of this release: an earlier one may run then. */
export const COMPLETE_MS = 900_000;

/** Reports whether an earlier release has noted a use, since it writes the record alone. */
export function isForeignUse(usedAt: number, noted: string | null | undefined): boolean {
  return usedAt > Number(noted ?? 0) + SAME_USE_MS;
}

/**
 * Enters a use in the order of use, before anything that is sent after it. After a use by an earlier release, the order no
 * longer counts as complete.
 * @param before the last use in the record, in Unix ms; 0 for none
 */
export async function enterUse(
  client: RedisClient,
  keyHash: string,
  usedAt: number,
  before: number,
): Promise<void> {
  const [noted] = await Promise.all([
    client.zscore(KEYS_BY_USE, keyHash),
    client.zadd(KEYS_BY_USE, 'GT', usedAt, keyHash),
  ]);
  if (isForeignUse(before, noted)) await client.del(USES_COMPLETE);
}

/** Lets the order count as complete for longer, if it does. */
export async function keepComplete(client: RedisClient): Promise<void> {
  await client.pexpire(USES_COMPLETE, COMPLETE_MS);
}
