import { readClock } from '../redis/clock.ts';
import type { RedisClient } from '../redis/client.ts';
import { KEY_NAMES } from '../redis/keys.ts';
import { loadScript } from '../redis/script.ts';
import type { KeyRecord } from './key-record.ts';

const claimScript = loadScript(new URL('./claim-name.lua', import.meta.url));

/** A field that is no valid name. It marks that keys of earlier releases have been entered. */
const ENTERED = '';

export interface NamedRecords {
  read(keyHash: string): Promise<KeyRecord | undefined>;
  all(): AsyncIterable<KeyRecord>;
}

/** Neither revoked nor expired. */
export function isActive({ revokedAt, expiresAt }: KeyRecord, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}

/**
 * Assigns a record its name atomically: of two keys created at once, one gets it. Names of inactive keys are
 * free.
 * @returns the active key that has the name, or undefined if the record has it now
 */
export async function claimName(
  client: RedisClient,
  records: NamedRecords,
  { name, keyHash }: KeyRecord,
): Promise<string | undefined> {
  const holder = (await client.hget(KEY_NAMES, name)) ?? '';
  const held = holder === '' ? undefined : await records.read(holder);
  if (held !== undefined && isActive(held, await readClock(client))) return holder;
  if (Number(await claimScript.run(client, [KEY_NAMES], [name, holder, keyHash])) === 1) return undefined;
  return (await client.hget(KEY_NAMES, name)) ?? '';
}

/** Enters the names of keys from an earlier release, once. */
export async function enterNames(client: RedisClient, records: NamedRecords): Promise<void> {
  if ((await client.hexists(KEY_NAMES, ENTERED)) === 1) return;
  const now = await readClock(client);
  for await (const record of records.all()) {
    if (isActive(record, now)) await client.hsetnx(KEY_NAMES, record.name, record.keyHash);
  }
  await client.hset(KEY_NAMES, ENTERED, '1');
}

export interface KeyName {
  readonly name: string;
  readonly keyHash: string;
}

export interface NameLimits {
  readonly count: number;
  readonly withinMs: number;
}

const NAMES_PER_READ = 10_000;

/** Returns the names that begin so. Redis has no order of names, so all are read, until a limit ends it. */
export async function namesWith(
  client: RedisClient,
  prefix: string,
  { count, withinMs }: NameLimits,
): Promise<readonly KeyName[]> {
  const pattern = `${prefix.replaceAll(/[*?[\]\\^-]/g, '\\$&')}*`;
  const end = performance.now() + withinMs;
  const found: KeyName[] = [];
  let cursor = '0';
  do {
    const [next, pairs] = await client.hscan(KEY_NAMES, cursor, 'MATCH', pattern, 'COUNT', NAMES_PER_READ);
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      const [name = '', keyHash = ''] = pairs.slice(at, at + 2);
      if (name !== ENTERED) found.push({ name, keyHash });
    }
    cursor = next;
  } while (cursor !== '0' && found.length < count && performance.now() < end);
  return found.slice(0, count).toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
