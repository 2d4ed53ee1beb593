import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { windowAccounts } from '../../../../src/checks/budget/accounts.ts';
import { reserveEverywhere } from '../../../../src/checks/budget/reserve-everywhere.ts';
import type { BudgetOperation, BudgetStore, Reservation } from '../../../../src/checks/budget/store.ts';
import { connectRedis, waitUntilReady, type RedisClient } from '../../../../src/redis/client.ts';
import { riskProfileKey } from '../../../../src/redis/keys.ts';
import { defaultConfig } from '../../../support/default-config.ts';
import { startTestCluster, type TestCluster } from '../../../support/redis-cluster.ts';
import { seededRandom } from '../../../unit/detectors/secrets/samples.ts';
import { budgetStore, newKeyHash, reservation } from './support.ts';

const SEED = 20_261_126;
const ROUNDS = 60;
const AT_ONCE = 12;
/** The middle of a month, so that no window turns. */
const NOON = Date.UTC(2026, 4, 15, 12);
/** Longer than a lease. */
const LATER_MS = 120_000;
/** Nano-USD a day: of each of two keys, of the team that both belong to, and of everything. */
const LIMITS = { key: 12_000, team: 18_000, all: 20_000 };

let cluster: TestCluster;
let clients: readonly RedisClient[];
beforeAll(async () => {
  cluster = await startTestCluster();
  const { redis } = defaultConfig({ redis: { cluster: { addrs: [...cluster.addrs] } } });
  clients = ['one', 'other'].map((name) => connectRedis(redis, { name }));
  await Promise.all(clients.map((client) => waitUntilReady(client, 10_000)));
});
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await cluster.close();
});

/** A ledger with its own slot, on the master of this number. */
interface Purse {
  readonly keyHash: string;
  readonly limit: number;
  /** Expected sum of settlements and expired leases, in nano-USD. */
  charged: number;
}

function purse(master: number, limit: number, name: () => string): Purse {
  for (;;) {
    const keyHash = name();
    if (cluster.ownerOf(riskProfileKey(keyHash)) === master) return { keyHash, limit, charged: 0 };
  }
}

/** An admitted request, in each of its ledgers. */
interface Open {
  readonly purses: readonly Purse[];
  readonly operations: readonly Reservation[];
  readonly amount: number;
}

/** Repeats until Redis has answered, as a gateway does in the background. */
async function settled(store: BudgetStore, operation: BudgetOperation, costNanoUsd: number): Promise<void> {
  for (let repeated = false; ; repeated = true) {
    try {
      await store.settle({ ...operation, costNanoUsd, repeated });
      return;
    } catch {
      await delay(20);
    }
  }
}

describe('money of three accounts on a Cluster, through two gateways', () => {
  it('exceeds no limit at any time, and equals the charges, through deaths and a failover', async () => {
    const clock = { now: NOON };
    const stores = clients.map((client) => budgetStore(client, { now: () => clock.now }));
    const random = seededRandom(SEED);
    const below = (most: number): number => Math.floor(random() * most);
    const shared = (): string => `budget:${randomUUID()}`;
    // The first master is replaced: it has a key and the budget of everything.
    const keys = [purse(0, LIMITS.key, newKeyHash), purse(1, LIMITS.key, newKeyHash)];
    const team = purse(2, LIMITS.team, shared);
    const all = purse(0, LIMITS.all, shared);
    const purses = [...keys, team, all];
    const open: Open[] = [];
    const seen = { admitted: 0, refused: 0, failed: 0, died: 0 };

    async function reserve(store: BudgetStore, key: Purse, amount: number): Promise<void> {
      const operationId = randomUUID();
      const concerned = [key, team, all];
      const [own, ...others] = concerned.map(({ keyHash, limit }) =>
        reservation(keyHash, { daily: limit }, amount, { operationId }),
      );
      if (own === undefined) throw new Error('a request has a key');
      const ledgers = {
        reserve: (operation: BudgetOperation) => store.reserve(operation as Reservation),
        release: (operation: BudgetOperation) => settled(store, operation, 0),
      };
      try {
        const { kind } = await reserveEverywhere(ledgers, [own, ...others], undefined);
        if (kind !== 'reserved') seen.refused += 1;
        else {
          seen.admitted += 1;
          open.push({ purses: concerned, operations: [own, ...others], amount });
        }
      } catch {
        seen.failed += 1;
      }
    }

    async function settle(store: BudgetStore, one: Open, cost: number): Promise<void> {
      for (const each of one.purses) each.charged += cost;
      await Promise.all(one.operations.map((operation) => settled(store, operation, cost)));
    }

    function step(): Promise<void> {
      const store = stores[below(2)] as BudgetStore;
      const key = keys[below(2)] as Purse;
      const what = random();
      if (what < 0.55) return reserve(store, key, 1 + below(1_500));
      const [one] = open.splice(below(open.length), 1);
      if (one === undefined) return Promise.resolve();
      if (what < 0.95) return settle(store, one, what < 0.7 ? 0 : Math.floor(one.amount * random() * 0.2));
      // A gateway dies with the request: its lease expires, and its reservation counts as spent.
      seen.died += 1;
      for (const each of one.purses) each.charged += one.amount;
      return Promise.resolve();
    }

    async function dailyOf({ keyHash }: Purse) {
      for (;;) {
        try {
          const statuses = await (stores[0] as BudgetStore).status(keyHash, windowAccounts({}));
          const daily = statuses.find(({ account }) => account.name === 'daily');
          if (daily !== undefined) return daily;
        } catch {
          await delay(20);
        }
      }
    }

    let failover: Promise<unknown> = Promise.resolve();
    for (let round = 0; round < ROUNDS; round += 1) {
      if (round === ROUNDS / 2) failover = cluster.replica.client.cluster('FAILOVER');
      await Promise.all(Array.from({ length: AT_ONCE }, step));
      for (const { keyHash, limit, ...rest } of await Promise.all(
        purses.map(async (each) => ({ ...each, ...(await dailyOf(each)) })),
      )) {
        expect(rest.spentNanoUsd, keyHash).toBeGreaterThanOrEqual(0);
        expect(rest.reservedNanoUsd, keyHash).toBeGreaterThanOrEqual(0);
        expect(rest.spentNanoUsd + rest.reservedNanoUsd, keyHash).toBeLessThanOrEqual(limit);
      }
    }
    await failover;
    expect(await cluster.replica.client.info('replication')).toContain('role:master');
    expect(seen).toMatchObject({ admitted: expect.toSatisfy((count: number) => count > 100) as number });
    expect(Math.min(seen.refused, seen.died)).toBeGreaterThan(5);

    for (const one of open.splice(0)) await settle(stores[1] as BudgetStore, one, one.amount);
    clock.now += LATER_MS;
    for (const each of purses) {
      const { spentNanoUsd, reservedNanoUsd } = await dailyOf(each);
      expect([spentNanoUsd, reservedNanoUsd]).toEqual([each.charged, 0]);
    }
    expect(keys.reduce((sum, { charged }) => sum + charged, 0)).toBe(all.charged);
  }, 60_000);
});
