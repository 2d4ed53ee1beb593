import { readClock } from '../redis/clock.ts';
import type { RedisClient } from '../redis/client.ts';
import { KEY_NAMES } from '../redis/keys.ts';
import { loadScript } from '../redis/script.ts';
import { isActive, type KeyRecord } from './key-record.ts';

const claimScript = loadScript(new URL('./claim-name.lua', import.meta.url));

/** Index field whose value shows which names the index contains. Not a valid name. */
const ENTERED = '';
/** The index contains all names, including those of inactive keys. Earlier releases wrote 1, for active keys only. */
const ALL_NAMES = '2';
/** Holder of a name that several active keys from an earlier release share. */
const SHARED = 'shared';

export interface NamedRecords {
  read(keyHash: string): Promise<KeyRecord | undefined>;
  all(): AsyncIterable<KeyRecord>;
}

/**
 * Assigns a name to its record. Of two keys created at the same time, only one gets the name. Names of inactive keys
 * are free.
 * @returns the hash of the active key that has the name, or undefined if the record has it now
 */
export async function claimName(
  client: RedisClient,
  records: NamedRecords,
  { name, keyHash }: KeyRecord,
): Promise<string | undefined> {
  const holder = (await client.hget(KEY_NAMES, name)) ?? '';
  const held =
    holder === SHARED ? await otherHolder(records, name, keyHash) : await readHolder(records, holder);
  if (held !== undefined && isActive(held, await readClock(client))) return held.keyHash;
  if (Number(await claimScript.run(client, [KEY_NAMES], [name, holder, keyHash])) === 1) return undefined;
  return (await client.hget(KEY_NAMES, name)) ?? '';
}

async function readHolder(records: NamedRecords, holder: string): Promise<KeyRecord | undefined> {
  return holder === '' ? undefined : records.read(holder);
}

/** Returns another key that has the shared name and is not revoked. */
async function otherHolder(records: NamedRecords, name: string, own: string): Promise<KeyRecord | undefined> {
  let found: KeyRecord | undefined;
  for await (const record of records.all())
    if (record.name === name && record.keyHash !== own && record.revokedAt === undefined) found = record;
  return found;
}

/** Enters the names of keys from an earlier release, once. */
export async function enterNames(client: RedisClient, records: NamedRecords): Promise<void> {
  if ((await client.hget(KEY_NAMES, ENTERED)) === ALL_NAMES) return;
  const now = await readClock(client);
  for await (const record of records.all()) await enterName(client, records, record, now);
  await client.hset(KEY_NAMES, ENTERED, ALL_NAMES);
}

async function enterName(
  client: RedisClient,
  records: NamedRecords,
  record: KeyRecord,
  now: number,
): Promise<void> {
  const { name, keyHash } = record;
  if ((await client.hsetnx(KEY_NAMES, name, keyHash)) === 1) return;
  const holder = (await client.hget(KEY_NAMES, name)) ?? '';
  if (holder === keyHash || holder === SHARED) return;
  const held = await records.read(holder);
  if (held !== undefined && isActive(held, now)) {
    if (isActive(record, now)) await client.hset(KEY_NAMES, name, SHARED);
  } else if (held === undefined || isActive(record, now) || record.createdAt > held.createdAt) {
    await client.hset(KEY_NAMES, name, keyHash);
  }
}

/**
 * Returns the hash of the active key with this name, or of the newest one if none is active. Returns null if no key has
 * the name, and undefined if only the records can tell.
 */
export async function holderOfName(client: RedisClient, name: string): Promise<string | null | undefined> {
  const [entered, holder] = await client.hmget(KEY_NAMES, ENTERED, name);
  if (entered !== ALL_NAMES || holder === SHARED) return undefined;
  return holder;
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

/** Returns names with a prefix. Scans up to the limits, because Redis does not sort the names. */
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
