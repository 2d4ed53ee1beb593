import type { RedisClient } from './client.ts';
import { riskProfileKey } from './keys.ts';
import { RISK_FIELDS } from './risk-profile.ts';

export interface StoredProfile {
  /** Unix ms by Redis's clock, by which all that has an end is judged (docs/redis.md). */
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
  if (!isListOf(RISK_FIELDS.length, values)) throw wrongShape();
  return { nowMs, values };
}

/** September 2001. */
const LONG_AGO_SECONDS = 1_000_000_000;

/** Unix ms by Redis's clock. */
export async function readClock(client: RedisClient): Promise<number> {
  const reply: unknown = await client.time();
  const [seconds = NaN, micros = NaN] = isListOf(2, reply) ? reply.map(Number) : [];
  // What is no time must not make an expired key good.
  if (!(seconds > LONG_AGO_SECONDS) || !Number.isInteger(micros)) throw wrongShape();
  return seconds * 1_000 + Math.floor(micros / 1_000);
}

function isListOf(length: number, reply: unknown): reply is readonly unknown[] {
  return Array.isArray(reply) && reply.length === length;
}

function wrongShape(): Error {
  return new Error('Redis gave a reply of the wrong shape');
}
