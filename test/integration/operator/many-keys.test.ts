import { afterAll, describe, expect, it } from 'vitest';

import type { Budget, Key } from '../../../src/operator/api/schemas/keys.ts';
import { createKeyStore } from '../../../src/auth/key-store.ts';
import { createRedisRiskStore } from '../../../src/risk/redis-store.ts';
import { DEFAULTS } from '../../contracts/risk-store.ts';
import { makeManyKeys } from '../../support/operator/many-keys.ts';
import { startTestPage } from '../../support/operator/page.ts';
import { startTestRedis } from '../../support/redis.ts';

const KEYS = 10_000;

interface Survey<Item> {
  readonly items: Item[];
  readonly next?: string;
  readonly total: number;
  readonly complete: boolean;
}

const redis = await startTestRedis();
afterAll(() => redis.close());
await makeManyKeys(redis, KEYS);
const page = await startTestPage(redis);
afterAll(() => page.close());
const viewer = await page.visitor({});

async function whole<Item>(path: string): Promise<Survey<Item>> {
  let found: Survey<Item> | undefined;
  await expect
    .poll(
      async () => {
        found = (await viewer.ask(path)).json<Survey<Item>>();
        return found.complete;
      },
      { timeout: 40_000 },
    )
    .toBe(true);
  if (found === undefined) throw new Error('no answer');
  return found;
}

async function profilesRead(): Promise<number> {
  const stats = await redis.client.info('commandstats');
  return Number(/cmdstat_hmget:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

describe('with very many keys', () => {
  it('some are shown soon, and eventually all of them', async () => {
    const since = performance.now();
    const first = (await viewer.ask('/api/keys?sort=name&limit=50')).json<Survey<Key>>();
    expect(first.items).toHaveLength(50);
    // It waits for the whole list at most some seconds.
    expect(performance.now() - since).toBeLessThan(15_000);
    const { total, items } = await whole<Key>('/api/keys?sort=name&limit=50');
    expect([total, items[0]?.name]).toEqual([KEYS + 1, 'key-0']);
  });

  it('any can be found', async () => {
    const { items, total } = await whole<Key>('/api/keys?search=key-9999');
    expect([total, items[0]?.name]).toEqual([1, 'key-9999']);
    expect((await whole<Key>('/api/keys?owner=team-7&limit=200')).total).toBe(KEYS / 100);
  });

  it('each is on one page', async () => {
    const names = new Set<string>();
    for (let cursor = ''; ;) {
      const { items, next } = (await viewer.ask(`/api/keys?sort=name&owner=team-7&limit=50${cursor}`)).json<
        Survey<Key>
      >();
      for (const { name } of items) names.add(name);
      if (next === undefined) break;
      cursor = `&cursor=${next}`;
    }
    expect(names.size).toBe(KEYS / 100);
  });

  it('shows a new key soon, and a revoked one immediately', async () => {
    const { record } = await createKeyStore(redis.client).create({ name: 'aaa-new', provider: 'openai' });
    await expect
      .poll(async () => (await whole<Key>('/api/keys?sort=name&limit=1')).items[0]?.name, { timeout: 40_000 })
      .toBe('aaa-new');
    await createKeyStore(redis.client).revoke(record.keyHash);
    expect((await whole<Key>('/api/keys?sort=name&limit=1')).items[0]?.status).toBe('revoked');
  });

  it('only the states of keys in use, or locked, are read', async () => {
    const risks = createRedisRiskStore({ client: redis.client, deadlineMs: 5_000, settings: DEFAULTS });
    const { keyHash } = await createKeyStore(redis.client).find('key-77');
    await risks.lock(keyHash, 90 * 86_400_000, 'lock');
    const before = await profilesRead();
    await expect
      .poll(async () => (await whole<Key>('/api/keys?status=locked')).items.map(({ name }) => name), {
        timeout: 40_000,
      })
      .toEqual(['key-77']);
    expect((await profilesRead()) - before).toBeLessThan(KEYS);
  });

  it('the fullest budget comes first', async () => {
    const { items } = await whole<Budget>('/api/budgets?limit=1');
    expect(items[0]).toMatchObject({ source: 'own', used_percent: 0 });
  });
});
