import * as z from 'zod';
import type { RedisClient } from './client.ts';
import { riskProfileKey } from './keys.ts';
import { RISK_FIELDS } from './risk-profile.ts';
import { loadScript } from './script.ts';

const readScript = loadScript(new URL('./read-profile.lua', import.meta.url));

const value = z.string().nullable();
const profileReply = z.tuple([z.int().min(0)], value).check(z.length(1 + RISK_FIELDS.length));

export interface StoredProfile {
  /** Unix ms by Redis's clock, by which all that has an end is judged (DECISIONS "Redis"). */
  readonly nowMs: number;
  /** In the order of RISK_FIELDS. */
  readonly values: readonly (string | null)[];
}

/**
 * Reads a risk profile and the time in one command.
 * @param now a clock for tests, Unix ms; Redis's own where it is left out
 */
export async function readProfile(
  client: RedisClient,
  keyHash: string,
  now: (() => number) | undefined,
): Promise<StoredProfile> {
  const args = [now === undefined ? '' : now(), ...RISK_FIELDS];
  const [nowMs, ...values] = profileReply.parse(
    await readScript.run(client, [riskProfileKey(keyHash)], args),
  );
  return { nowMs, values };
}

/** Unix ms by Redis's clock. */
export async function readClock(client: RedisClient): Promise<number> {
  const [seconds, micros] = clockReply.parse(await client.time());
  return seconds * 1_000 + Math.floor(micros / 1_000);
}

const clockReply = z.tuple([z.coerce.number(), z.coerce.number()]);
