import { expect, it } from 'vitest';
import {
  createRedisStoredObjectStore,
  STORED_OBJECT_LIFE_MS,
  type StoredObjectStore,
} from '../../../../src/checks/stored-objects/store.ts';
import { storedObjectsKey } from '../../../../src/redis/keys.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import { newKeyHash, useRedis } from '../budget/support.ts';

let client: RedisClient;
useRedis((started) => ({ client } = started));

let nowMs = 1_800_000_000_000;
const storeOf = (maxPerKey?: number): StoredObjectStore =>
  createRedisStoredObjectStore({
    client,
    deadlineMs: 2_500,
    now: () => nowMs,
    ...(maxPerKey !== undefined && { maxPerKey }),
  });

it('an object is the key’s own, at the provider where it was created', async () => {
  const store = storeOf();
  const keyHash = newKeyHash();
  await store.keep({ keyHash, provider: 'openai', ids: ['resp_1', 'msg_1'] });
  expect(await store.find({ keyHash, provider: 'openai', ids: ['msg_1', 'resp_2', 'resp_1'] })).toEqual([
    true,
    false,
    true,
  ]);
  expect(await store.find({ keyHash, provider: 'xai', ids: ['resp_1'] })).toEqual([false]);
  expect(await store.find({ keyHash: newKeyHash(), provider: 'openai', ids: ['resp_1'] })).toEqual([false]);
});

it('a question makes nothing one’s own', async () => {
  const store = storeOf();
  const asked = { keyHash: newKeyHash(), provider: 'openai', ids: ['resp_1'] };
  expect([await store.find(asked), await store.find(asked)]).toEqual([[false], [false]]);
  expect(await client.exists(storedObjectsKey(asked.keyHash))).toBe(0);
});

it('an object is forgotten its life after its last use', async () => {
  const store = storeOf();
  const keyHash = newKeyHash();
  const used = { keyHash, provider: 'openai', ids: ['used'] };
  const unused = { ...used, ids: ['unused'] };
  await store.keep({ ...used, ids: ['used', 'unused'] });
  nowMs += STORED_OBJECT_LIFE_MS - 1;
  expect(await store.find(used)).toEqual([true]);
  nowMs += 1;
  expect([await store.find(used), await store.find(unused)]).toEqual([[true], [false]]);
  await store.keep({ ...used, ids: ['new'] });
  expect(await client.zcard(storedObjectsKey(keyHash))).toBe(2);
  expect(await client.pttl(storedObjectsKey(keyHash))).toBeGreaterThan(STORED_OBJECT_LIFE_MS - 60_000);
});

it('the least recently used objects beyond the limit are forgotten', async () => {
  const store = storeOf(3);
  const of = { keyHash: newKeyHash(), provider: 'openai' };
  for (const id of ['a', 'b', 'c']) {
    nowMs += 1;
    await store.keep({ ...of, ids: [id] });
  }
  nowMs += 1;
  await store.find({ ...of, ids: ['a'] });
  nowMs += 1;
  await store.keep({ ...of, ids: ['d'] });
  expect(await store.find({ ...of, ids: ['a', 'b', 'c', 'd'] })).toEqual([true, false, true, true]);
});

it('holds digests, never ids', async () => {
  const keyHash = newKeyHash();
  await storeOf().keep({ keyHash, provider: 'openai', ids: ['resp_secret'] });
  const stored = await client.zrange(storedObjectsKey(keyHash), 0, -1);
  expect([stored.length, stored.join().includes('secret')]).toEqual([1, false]);
});
