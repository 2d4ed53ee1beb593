import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BudgetStore } from '../../../src/checks/budget/store.ts';
import { windowAccounts } from '../../../src/checks/budget/accounts.ts';
import type { RedisClient } from '../../../src/redis/client.ts';
import { spendDayKey } from '../../../src/redis/keys.ts';
import { createSpendStore, dayOf } from '../../../src/spend/store.ts';
import { budgetStore, newKeyHash, reservation, useRedis, windowStatus } from '../checks/budget/support.ts';
import { createRandom } from '../../support/random.ts';

const DAY_MS = 86_400_000;
const LEASE_MS = 30_000;
const LIFE_MS = 400 * DAY_MS;
/** Some minutes before midnight, so that operations are on two days. */
const START = Date.UTC(2026, 10, 26, 23, 55);

let client: RedisClient;
useRedis((started) => ({ client } = started));

let now = START;
const store = (): BudgetStore =>
  budgetStore(client, { leaseMs: LEASE_MS, spendLifeMs: LIFE_MS, now: () => now });

const spentOf = (keyHash: string) =>
  createSpendStore({ client, deadlineMs: 2_500 }).read(keyHash, dayOf(START) - 1, dayOf(START) + 2);

async function totalOf(keyHash: string): Promise<number> {
  return (await spentOf(keyHash)).reduce((sum, { nanoUsd }) => sum + nanoUsd, 0);
}

describe('spend records', () => {
  it('have day, provider and model', async () => {
    now = START;
    const keyHash = newKeyHash();
    const held = reservation(keyHash, {}, 100);
    await store().reserve(held);
    await store().settle({ ...held, costNanoUsd: 40, repeated: false, spentFor: 'openai/gpt-4o' });
    await store().settle({ ...held, costNanoUsd: 40, repeated: true, spentFor: 'openai/gpt-4o' });
    expect(await spentOf(keyHash)).toEqual([
      { day: dayOf(START), provider: 'openai', model: 'gpt-4o', nanoUsd: 40 },
    ]);
    const life = await client.pttl(spendDayKey(keyHash, dayOf(START)));
    expect(life).toBeGreaterThan(LIFE_MS - 60_000);
  });

  it('include the charge of an expired lease, and correct it when its settlement arrives late', async () => {
    now = START;
    const keyHash = newKeyHash();
    const held = reservation(keyHash, {}, 100);
    await store().reserve(held);
    now += LEASE_MS + 1;
    await store().status(keyHash, windowAccounts({}));
    expect(await spentOf(keyHash)).toMatchObject([{ provider: 'expired', nanoUsd: 100 }]);
    await store().settle({ ...held, costNanoUsd: 30, repeated: true, spentFor: 'openai/gpt-4o' });
    expect(await totalOf(keyHash)).toBe(30);
  });

  it('hold at most 250 labels a day; the rest shares one of them', async () => {
    now = START;
    const keyHash = newKeyHash();
    for (let nth = 0; nth < 260; nth += 1) {
      const held = reservation(keyHash, {}, 1);
      await store().reserve(held);
      await store().settle({
        ...held,
        costNanoUsd: 1,
        repeated: false,
        spentFor: `openai/model-${String(nth)}`,
      });
    }
    const spent = await spentOf(keyHash);
    expect([spent.length, await totalOf(keyHash)]).toEqual([251, 260]);
    expect(spent).toContainEqual({ day: dayOf(START), provider: 'other', model: 'other', nanoUsd: 10 });
  });

  it.each([1, 2, 3])('add up to the ledger’s spend after random events (seed %d)', async (seed) => {
    now = START;
    const random = createRandom(seed);
    const keyHash = newKeyHash();
    const open: ReturnType<typeof reservation>[] = [];
    for (let step = 0; step < 150; step += 1) {
      now += Math.floor(random() * 8_000);
      const held = open[Math.floor(random() * open.length)];
      if (held === undefined || random() < 0.4) {
        const fresh = reservation(keyHash, {}, 1 + Math.floor(random() * 1_000));
        await store().reserve(fresh);
        open.push(fresh);
      } else if (random() < 0.3) {
        await store().renew(keyHash, [held.operationId]);
      } else {
        const costNanoUsd = Math.floor(random() * 1_200);
        await store().settle({ ...held, costNanoUsd, repeated: random() < 0.5, spentFor: 'groq/llama' });
        if (random() < 0.8) open.splice(open.indexOf(held), 1);
      }
    }
    now += LEASE_MS + 1;
    const monthly = await windowStatus(store(), keyHash, 'monthly');
    expect(monthly.reserved).toBe(0);
    expect(await totalOf(keyHash)).toBe(monthly.spent);
  });

  it('are not written if spend is disabled', async () => {
    now = START;
    const keyHash = newKeyHash();
    const held = { ...reservation(keyHash, {}, 100), operationId: randomUUID() };
    const plain = budgetStore(client, { now: () => now });
    await plain.reserve(held);
    await plain.settle({ ...held, costNanoUsd: 40, repeated: false, spentFor: 'openai/gpt-4o' });
    expect(await spentOf(keyHash)).toEqual([]);
  });
});
