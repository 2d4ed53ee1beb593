import { expect, it } from 'vitest';
import { createRedisBudgetStore } from '../../../src/checks/budget/redis-store.ts';
import { windowAccounts } from '../../../src/checks/budget/accounts.ts';
import { createUsedRatios, type UsedRatio } from '../../../src/checks/budget/used-ratios.ts';
import { parsed } from '../../support/exchange.ts';
import { useTestRedis } from '../../support/redis.ts';

const redis = useTestRedis();

const LIMITS = { daily: 1_000_000, monthly: 4_000_000, hourly: 0 };

function rig(maxKeys: number) {
  const store = createRedisBudgetStore({ client: redis.client, deadlineMs: 2_000, alertPercents: [] });
  let shown: readonly UsedRatio[] = [];
  const ratios = createUsedRatios({ store, maxKeys, refreshMs: 50, show: (all) => (shown = all) });
  async function spend(name: string, nanoUsd: number): Promise<void> {
    const { key, ...exchange } = parsed({ body: { model: 'm', messages: [] } });
    const charged = {
      ...exchange,
      key: { ...key, keyHash: `sha256:${name}`, name },
      budget: { limits: LIMITS },
    };
    const accounts = windowAccounts({ daily: LIMITS.daily, monthly: LIMITS.monthly });
    const operation = { keyHash: charged.key.keyHash, operationId: crypto.randomUUID(), accounts };
    await store.reserve({
      ...operation,
      inputNanoUsd: nanoUsd,
      outputNanoUsd: 0,
      outputTokens: 1,
      maxGrantTokens: 1,
      minGrantTokens: 1,
      lowestTokens: undefined,
    });
    await store.settle({ ...operation, costNanoUsd: nanoUsd, repeated: false });
    ratios.charged(charged);
  }
  const now = () => Object.fromEntries(shown.map(({ key, window, ratio }) => [`${key} ${window}`, ratio]));
  return { spend, now, close: ratios.close };
}

it('shows the spent share of each limit, including other gateways’ spend', async () => {
  const { spend, now, close } = rig(2);
  await spend('a', 250_000);
  await expect.poll(now).toEqual({ 'a hourly': 1, 'a daily': 0.25, 'a monthly': 0.0625 });
  const elsewhere = rig(2);
  await elsewhere.spend('a', 500_000);
  await expect.poll(now).toMatchObject({ 'a daily': 0.75 });
  await Promise.all([close(), elsewhere.close()]);
});

it('follows a bounded number of keys: the least recently charged key is dropped', async () => {
  const { spend, now, close } = rig(2);
  const names = () => new Set(Object.keys(now()).map((row) => row.split(' ')[0]));
  await spend('b', 1_000);
  await spend('c', 1_000);
  await spend('b', 1_000);
  await expect.poll(names).toEqual(new Set(['b', 'c']));
  await spend('d', 1_000);
  await expect.poll(names).toEqual(new Set(['b', 'd']));
  await close();
});
