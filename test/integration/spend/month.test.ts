import { describe, expect, it } from 'vitest';
import { createKeyStore } from '../../../src/auth/key-store.ts';
import type { KeyRecord } from '../../../src/auth/key-record.ts';
import type { RedisClient } from '../../../src/redis/client.ts';
import { createSpendStore, dayOf, dayText } from '../../../src/spend/store.ts';
import { groupOf, SpendSums, type Bucket } from '../../../src/spend/sums.ts';
import { budgetStore, reservation, useRedis } from '../checks/budget/support.ts';
import { createRandom } from '../../support/random.ts';

const DAY_MS = 86_400_000;
const FIRST = Date.UTC(2026, 9, 1);
const DAYS = 31;
const A_DAY = 40;
const MODELS = ['openai/gpt-5', 'openai/gpt-4o', 'anthropic/claude-opus-4-5', 'mcp:maps/geocode'] as const;

let client: RedisClient;
useRedis((started) => ({ client } = started));

/** Nano-USD by name, as on the providers' bills. */
type Bill = Map<string, number>;

function add(bill: Bill, name: string, nanoUsd: number): void {
  bill.set(name, (bill.get(name) ?? 0) + nanoUsd);
}

describe('a month of traffic', () => {
  it('is reported as billed by the providers, by day, week, month, owner, team, key, provider, model and tool', async () => {
    let now = FIRST;
    const random = createRandom(7);
    const store = budgetStore(client, { spendLifeMs: 400 * DAY_MS, now: () => now });
    const keys: KeyRecord[] = [];
    for (const nth of [0, 1, 2, 3, 4, 5]) {
      const made = await createKeyStore(client).create({
        name: `month-${String(nth)}`,
        provider: 'openai',
        owner: `owner-${String(nth % 3)}`,
        tags: { team: `team-${String(nth % 2)}` },
      });
      keys.push(made.record);
    }
    const bills: Readonly<Record<string, Bill>> = Object.fromEntries(
      ['owner', 'team', 'key', 'provider', 'model', 'tool', 'day', 'month'].map((by) => [by, new Map()]),
    );
    const billed = (by: string, name: string, nanoUsd: number): void =>
      add(bills[by] ?? new Map(), name, nanoUsd);

    for (let day = 0; day < DAYS; day += 1) {
      for (let nth = 0; nth < A_DAY; nth += 1) {
        now = FIRST + day * DAY_MS + Math.floor(random() * DAY_MS);
        const key = keys[Math.floor(random() * keys.length)] as KeyRecord;
        const spentFor = MODELS[Math.floor(random() * MODELS.length)] ?? MODELS[0];
        const worst = 1 + Math.floor(random() * 5_000_000);
        const cost = Math.floor(worst * random());
        const held = reservation(key.keyHash, {}, worst);
        await store.reserve(held);
        await store.settle({ ...held, costNanoUsd: cost, repeated: false, spentFor });
        const [provider = '', model = ''] = spentFor.split('/');
        const isTool = provider.startsWith('mcp:');
        billed('owner', key.owner ?? '', cost);
        billed('team', key.tags['team'] ?? '', cost);
        billed('key', key.name, cost);
        billed('provider', provider, cost);
        billed('model', model, cost);
        billed('tool', isTool ? 'maps/geocode' : '-', cost);
        billed('day', dayText(dayOf(now)), cost);
        billed('month', '2026-10', cost);
      }
    }

    const spend = createSpendStore({ client, deadlineMs: 2_500 });
    const spent = await Promise.all(
      keys.map(async (key) => ({
        key,
        amounts: await spend.read(key.keyHash, dayOf(FIRST), dayOf(FIRST) + DAYS - 1),
      })),
    );
    function reported(by: string, bucket: Bucket): Bill {
      const sums = new SpendSums(bucket);
      for (const { key, amounts } of spent)
        for (const amount of amounts) sums.add(groupOf(by, key, amount), amount);
      const bill: Bill = new Map();
      for (const row of sums.rows())
        add(bill, bucket === 'total' ? row.group : (row.bucket ?? ''), row.nanoUsd);
      return bill;
    }
    for (const by of ['owner', 'team', 'key', 'provider', 'model', 'tool'])
      expect(reported(by, 'total'), by).toEqual(bills[by]);
    expect(reported('owner', 'day')).toEqual(bills['day']);
    expect(reported('owner', 'month')).toEqual(bills['month']);
    const total = (bill: Bill): number => [...bill.values()].reduce((sum, one) => sum + one, 0);
    expect(total(reported('model', 'week'))).toBe(total(bills['month'] ?? new Map()));
  });
});
