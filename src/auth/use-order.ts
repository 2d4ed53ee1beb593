import type { RedisClient } from '../redis/client.ts';
import { KEYS_BY_USE, USES_COMPLETE } from '../redis/keys.ts';

/** Maximum difference between record and order for the same use. */
const SAME_USE_MS = 120_000;
/** How long the order counts as complete while no gateway of this release is running. */
export const COMPLETE_MS = 900_000;

/** Reports whether an earlier release recorded a use. Such releases update only the record, not the order. */
export function isForeignUse(usedAt: number, noted: string | null | undefined): boolean {
  return usedAt > Number(noted ?? 0) + SAME_USE_MS;
}

/**
 * Enters a use in the order of use, which stops counting as complete after a use by an earlier release.
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

/** Extends the time for which the order counts as complete. */
export async function keepComplete(client: RedisClient): Promise<void> {
  await client.pexpire(USES_COMPLETE, COMPLETE_MS);
}
