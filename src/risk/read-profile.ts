import type { RedisClient } from '../redis/client.ts';
import { readClock } from '../redis/clock.ts';
import { riskProfileKey } from '../redis/keys.ts';
import { isReplyOf, wrongShape } from '../redis/reply.ts';
import { checkForm } from '../redis/stored-forms.ts';
import { RISK_FIELDS } from './profile.ts';

export interface StoredProfile {
  /** Redis time in Unix ms (docs/redis.md). */
  readonly nowMs: number;
  /** In the order of RISK_FIELDS. */
  readonly values: readonly (string | null)[];
}

/**
 * Reads a profile and the time in one round trip. Two plain commands cost Redis a sixth of what a script costs. In a
 * cluster, the time may come from any node.
 * @param now test clock in Unix ms
 */
export async function readProfile(
  client: RedisClient,
  keyHash: string,
  now: (() => number) | undefined,
): Promise<StoredProfile> {
  const [values, nowMs] = await Promise.all([
    client.hmget(riskProfileKey(keyHash), ...RISK_FIELDS),
    now === undefined ? readClock(client) : now(),
  ]);
  if (!isReplyOf(RISK_FIELDS.length, values)) throw wrongShape();
  checkForm('risk_profile', values.at(-1));
  return { nowMs, values };
}
