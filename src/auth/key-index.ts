import * as z from 'zod';
import type { RedisClient } from '../redis/client.ts';
import { KEY_INDEX, keyRecordKey, KEYS_BY_CREATION, USES_COMPLETE } from '../redis/keys.ts';
import { loadScript } from '../redis/script.ts';
import { COMPLETE_MS } from './use-order.ts';

const enterScript = loadScript(new URL('./enter-key.lua', import.meta.url));
const leaveScript = loadScript(new URL('./leave-key.lua', import.meta.url));
const orderScript = loadScript(new URL('./order-keys.lua', import.meta.url));

const INDEXES = [KEY_INDEX, KEYS_BY_CREATION];
export const PAGE_SIZE = 500;

const rank = z
  .string()
  .regex(/^\d{1,10}$/, { error: 'is not a cursor of this list' })
  .transform(Number);

export type KeyOrder = 'created' | 'hash';

interface HashPage {
  readonly hashes: readonly string[];
  readonly next: string | undefined;
}

export interface KeyCount {
  readonly total: number;
  /** False if keys from an earlier release are missing from the order of creation. */
  readonly isOrdered: boolean;
}

export async function enterKey(client: RedisClient, keyHash: string): Promise<void> {
  await enterScript.run(client, [...INDEXES, USES_COMPLETE], [keyHash, COMPLETE_MS]);
}

export async function leaveKey(client: RedisClient, keyHash: string): Promise<void> {
  await leaveScript.run(client, INDEXES, [keyHash]);
}

export async function countKeys(client: RedisClient): Promise<KeyCount> {
  const [total, ordered] = await Promise.all(INDEXES.map((index) => client.zcard(index)));
  return { total: total ?? 0, isOrdered: total === ordered };
}

/** Adds keys from an earlier release to the order of creation, once. */
export async function orderKeys(client: RedisClient): Promise<void> {
  if ((await countKeys(client)).isOrdered) return;
  let after: string | undefined;
  do {
    const { hashes, next } = await pageByHash(client, after, PAGE_SIZE);
    const created = await Promise.all(hashes.map((hash) => client.hget(keyRecordKey(hash), 'created_at')));
    await enterInOrder(client, new Map(hashes.map((hash, nth) => [hash, created[nth]])));
    after = next;
  } while (after !== undefined);
}

/** @param created Unix ms by key hash */
export async function enterInOrder(
  client: RedisClient,
  created: ReadonlyMap<string, string | null | undefined>,
): Promise<void> {
  const entries = [...created].flatMap(([hash, at]) => [at ?? '0', hash]);
  await orderScript.run(client, INDEXES, entries);
}

export async function pageOfHashes(
  client: RedisClient,
  order: KeyOrder,
  after: string | undefined,
  count: number,
): Promise<HashPage> {
  return order === 'hash' ? pageByHash(client, after, count) : pageByCreation(client, after, count);
}

/** The cursor is the last hash. */
async function pageByHash(client: RedisClient, after: string | undefined, count: number): Promise<HashPage> {
  const from = after === undefined ? '-' : `(${after}`;
  const hashes = await client.zrangebylex(KEY_INDEX, from, '+', 'LIMIT', 0, count);
  return { hashes, next: hashes.length < count ? undefined : hashes.at(-1) };
}

/** The cursor is a rank. New keys are added at the end, so other keys stay on their pages. */
async function pageByCreation(
  client: RedisClient,
  after: string | undefined,
  count: number,
): Promise<HashPage> {
  const from = rank.parse(after ?? '0');
  const hashes = await client.zrange(KEYS_BY_CREATION, from, from + count - 1);
  return { hashes, next: hashes.length < count ? undefined : String(from + count) };
}
