import type { RedisClient } from './client.ts';
import { riskProfileKey } from './keys.ts';
import { RISK_FIELDS } from './risk-profile.ts';

export interface StoredProfile {
  /** Unix ms by Redis's clock, by which all that has an end is judged (DECISIONS "Redis"). */
  readonly nowMs: number;
  /** In the order of RISK_FIELDS. */
  readonly values: readonly (string | null)[];
}

/**
 * Reads a risk profile and the time in one wait. Two plain commands: inside a script they would cost Redis six times as
 * much. On a cluster the time is that of any node.
 * @param now a clock for tests, Unix ms; Redis's own where it is left out
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
  const isProfile: unknown = Array.isArray(values) && values.length === RISK_FIELDS.length;
  if (isProfile !== true) throw new Error('Redis gave a reply of the wrong shape');
  return { nowMs, values };
}

/** Unix ms by Redis's clock. */
export async function readClock(client: RedisClient): Promise<number> {
  const [seconds, micros] = (await client.time()).map(Number);
  if (
    seconds === undefined ||
    !Number.isInteger(seconds) ||
    micros === undefined ||
    !Number.isInteger(micros)
  ) {
    throw new Error('Redis gave a reply of the wrong shape');
  }
  return seconds * 1_000 + Math.floor(micros / 1_000);
}
