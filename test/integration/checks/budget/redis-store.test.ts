import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { windowAccounts } from '../../../../src/checks/budget/windows.ts';
import type { BudgetStore, Reservation } from '../../../../src/checks/budget/store.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import {
  budgetLimitsKey,
  holdKey,
  holdsKey,
  quarantineKey,
  riskProfileKey,
  spendKey,
} from '../../../../src/redis/keys.ts';
import { startTestRedis } from '../../../support/redis.ts';
import type { TestRedis } from '../../../support/redis.ts';
import { budgetStore, connect, newKeyHash, reservation, USD, windowStatus } from './support.ts';

/** The slot of a key as the client library computes it; the package has no types. */
const calculateSlot = createRequire(import.meta.url)('cluster-key-slot') as (key: string) => number;

let redis: TestRedis;
let client: RedisClient;

beforeAll(async () => {
  redis = await startTestRedis();
  client = await connect(redis.addr);
});

afterAll(async () => {
  client.disconnect();
  await redis.close();
});

/** Redis refuses to mix time travel with real windows: each test with a clock uses a key of its own. */
function storeAt(clock: { now: number }, more: Parameters<typeof budgetStore>[1] = {}) {
  return budgetStore(client, { now: () => clock.now, ...more });
}

const NOON = Date.UTC(2026, 0, 15, 12, 0, 0);

describe('reserving', () => {
  it('lets exactly 10 of 1,000 parallel requests into a budget worth 10', async () => {
    const second = await connect(redis.addr);
    const stores = [budgetStore(client), budgetStore(second)];
    const keyHash = newKeyHash();
    const results = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) =>
        (stores[i % 2] ?? budgetStore(client)).reserve(reservation(keyHash, { daily: 10 * USD }, USD)),
      ),
    );
    second.disconnect();
    expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(10);
    expect(results.filter(({ kind }) => kind === 'refused')).toHaveLength(990);
    expect(await windowStatus(budgetStore(client), keyHash, 'daily')).toMatchObject({
      spent: 0,
      reserved: 10 * USD,
    });
  });

  it('names the tightest of the windows that a request does not fit in, with its reset', async () => {
    const clock = { now: NOON + 10_000 };
    const result = await storeAt(clock).reserve(
      reservation(newKeyHash(), { hourly: 2 * USD, daily: 3 * USD, monthly: 100 * USD }, 4 * USD),
    );
    expect(result).toMatchObject({
      kind: 'refused',
      tightest: { account: { name: 'hourly' }, remainingNanoUsd: 2 * USD, resetMs: 3_590_000 },
    });
  });

  it('blocks a key whose limit is 0, also for what costs nothing', async () => {
    const result = await budgetStore(client).reserve(reservation(newKeyHash(), { monthly: 0 }, 0));
    expect(result).toMatchObject({ kind: 'refused', tightest: { account: { name: 'monthly' } } });
  });

  it('blocks what costs nothing once a limit is reached', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    const limits = { daily: USD };
    const paid = reservation(keyHash, limits, USD);
    await store.reserve(paid);
    await store.settle({ ...paid, costNanoUsd: USD, repeated: false });
    expect(await store.reserve(reservation(keyHash, limits, 0))).toMatchObject({ kind: 'refused' });
  });

  it('never refuses a key without limits, and records its spend in all five windows', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    const wanted = reservation(keyHash, {}, 5 * USD);
    expect(await store.reserve(wanted)).toMatchObject({ kind: 'reserved', tightest: undefined });
    await store.settle({ ...wanted, costNanoUsd: 3 * USD, repeated: false });
    for (const window of ['minute', 'hourly', 'daily', 'weekly', 'monthly']) {
      expect(await windowStatus(store, keyHash, window)).toMatchObject({ spent: 3 * USD, reserved: 0 });
    }
  });

  it('takes sums near the highest limit exactly', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    const limits = { monthly: 9_000_000 * USD };
    await store.reserve(reservation(keyHash, limits, 8_999_999_999_999_998));
    expect(await store.reserve(reservation(keyHash, limits, 3))).toMatchObject({ kind: 'refused' });
    expect(await store.reserve(reservation(keyHash, limits, 2))).toMatchObject({ kind: 'reserved' });
    expect((await windowStatus(store, keyHash, 'monthly')).reserved).toBe(9_000_000 * USD);
  });
});

describe('granting an output limit', () => {
  const output = { outputTokens: undefined, outputNanoUsd: 10_000 };

  it('grants the maximum where a quarter of the remainder buys it', async () => {
    const result = await budgetStore(client).reserve(reservation(newKeyHash(), { daily: USD }, 0, output));
    expect(result).toMatchObject({ kind: 'reserved', outputTokens: 8192, amountNanoUsd: 81_920_000 });
  });

  it('shrinks to a quarter of what the tightest account has left after the input', async () => {
    const limits = { daily: USD, hourly: 90_000_000 };
    const result = await budgetStore(client).reserve(reservation(newKeyHash(), limits, 10_000_000, output));
    expect(result).toMatchObject({ kind: 'reserved', outputTokens: 2_000, amountNanoUsd: 30_000_000 });
  });

  it('never grants less than 256: it fits, or the request is refused', async () => {
    const store = budgetStore(client);
    const fits = await store.reserve(reservation(newKeyHash(), { daily: 2_560_000 }, 0, output));
    expect(fits).toMatchObject({ kind: 'reserved', outputTokens: 256 });
    const over = await store.reserve(reservation(newKeyHash(), { daily: 2_559_999 }, 0, output));
    expect(over).toMatchObject({ kind: 'refused' });
  });

  it('rounds a fractional rate up once, without float noise', async () => {
    const result = await budgetStore(client).reserve(
      reservation(newKeyHash(), { daily: USD }, 0, { outputTokens: 3, outputNanoUsd: 37.5 }),
    );
    expect(result).toMatchObject({ amountNanoUsd: 113 });
    const exact = await budgetStore(client).reserve(
      reservation(newKeyHash(), { daily: USD }, 0, { outputTokens: 3_000_000, outputNanoUsd: 0.1 + 0.2 }),
    );
    expect(exact).toMatchObject({ amountNanoUsd: 900_000 });
  });
});

describe('settling', () => {
  it('replaces the reservation by the cost and names the remainder', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    const held = reservation(keyHash, { daily: 10 * USD }, 4 * USD);
    await store.reserve(held);
    const result = await store.settle({ ...held, costNanoUsd: USD, repeated: false });
    expect(result).toMatchObject({
      applied: true,
      reservedNanoUsd: 4 * USD,
      tightest: { account: { name: 'daily' }, remainingNanoUsd: 9 * USD },
    });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: USD, reserved: 0 });
  });

  it('charges a cost over the reservation all the same', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    const held = reservation(keyHash, { daily: USD }, USD);
    await store.reserve(held);
    const result = await store.settle({ ...held, costNanoUsd: 3 * USD, repeated: false });
    expect(result.tightest?.remainingNanoUsd).toBe(-2 * USD);
  });

  it('gives a released reservation back whole', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    const held = reservation(keyHash, { daily: USD }, USD);
    await store.reserve(held);
    await store.release(held, { repeated: false });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 0, reserved: 0 });
  });

  it('leaves a window alone that has rolled over since the reservation', async () => {
    const clock = { now: NOON + 59_000 };
    const store = storeAt(clock);
    const keyHash = newKeyHash();
    const held = reservation(keyHash, { minute: 10 * USD }, 4 * USD);
    await store.reserve(held);
    clock.now += 2_000;
    await store.reserve(reservation(keyHash, { minute: 10 * USD }, USD));
    await store.settle({ ...held, costNanoUsd: 2 * USD, repeated: false });
    expect(await windowStatus(store, keyHash, 'minute')).toMatchObject({ spent: 0, reserved: USD });
    expect(await windowStatus(store, keyHash, 'hourly')).toMatchObject({ spent: 2 * USD, reserved: USD });
  });

  it('charges the current windows when Redis has lost the hold, on the first attempt only', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    const lost = reservation(keyHash, { daily: 10 * USD }, USD);
    expect(await store.settle({ ...lost, costNanoUsd: USD, repeated: true })).toMatchObject({
      applied: false,
    });
    const other = reservation(keyHash, { daily: 10 * USD }, USD);
    expect(await store.settle({ ...other, costNanoUsd: USD, repeated: false })).toMatchObject({
      applied: true,
    });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: USD, reserved: 0 });
  });
});

describe('repeats of a script', () => {
  it('reserve once under one operation', async () => {
    const store = storeAt({ now: NOON });
    const keyHash = newKeyHash();
    const held = reservation(keyHash, { daily: USD }, 0, {
      outputTokens: undefined,
      outputNanoUsd: 1_000_000,
    });
    const first = await store.reserve(held);
    const second = await store.reserve(held);
    expect(second).toEqual(first);
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ reserved: 256_000_000 });
  });

  it('settle once under one operation', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    const held = reservation(keyHash, { daily: 10 * USD }, 4 * USD);
    await store.reserve(held);
    await store.settle({ ...held, costNanoUsd: USD, repeated: false });
    expect(await store.settle({ ...held, costNanoUsd: USD, repeated: false })).toMatchObject({
      applied: false,
    });
    expect(await store.settle({ ...held, costNanoUsd: 7 * USD, repeated: true })).toMatchObject({
      applied: false,
    });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: USD, reserved: 0 });
  });

  it('hold nothing for a reservation that arrives after its release', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    const late = reservation(keyHash, { daily: USD }, USD);
    await store.release(late, { repeated: false });
    expect(await store.reserve(late)).toEqual({ kind: 'closed' });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 0, reserved: 0 });
  });

  it('renew any number of times', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    const held = reservation(keyHash, {}, USD);
    await store.reserve(held);
    expect(await store.renew(keyHash, [held.operationId])).toEqual([]);
    expect(await store.renew(keyHash, [held.operationId])).toEqual([]);
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 0, reserved: USD });
  });
});

describe('leases', () => {
  it('that ran out are charged in full by whoever touches the account next', async () => {
    const clock = { now: NOON };
    const store = storeAt(clock);
    const keyHash = newKeyHash();
    await store.reserve(reservation(keyHash, { daily: 10 * USD }, 4 * USD));
    clock.now += 30_000;
    expect(await store.reserve(reservation(keyHash, { daily: 10 * USD }, 7 * USD))).toMatchObject({
      kind: 'refused',
    });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 4 * USD, reserved: 0 });
  });

  it('are not charged while they are renewed', async () => {
    const clock = { now: NOON };
    const store = storeAt(clock);
    const keyHash = newKeyHash();
    const held = reservation(keyHash, { daily: 10 * USD }, 4 * USD);
    await store.reserve(held);
    for (let i = 0; i < 6; i++) {
      clock.now += 10_000;
      await store.renew(keyHash, [held.operationId]);
    }
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 0, reserved: 4 * USD });
  });

  it('give way to a late settlement, which replaces what was charged', async () => {
    const clock = { now: NOON };
    const store = storeAt(clock);
    const keyHash = newKeyHash();
    const held = reservation(keyHash, { daily: 10 * USD }, 4 * USD);
    await store.reserve(held);
    clock.now += 31_000;
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 4 * USD, reserved: 0 });
    await store.settle({ ...held, costNanoUsd: USD, repeated: false });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: USD, reserved: 0 });
  });

  it('turn back into a reservation when a stalled worker renews them', async () => {
    const clock = { now: NOON };
    const store = storeAt(clock);
    const keyHash = newKeyHash();
    const held = reservation(keyHash, { daily: 10 * USD }, 4 * USD);
    await store.reserve(held);
    clock.now += 31_000;
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 4 * USD, reserved: 0 });
    expect(await store.renew(keyHash, [held.operationId])).toEqual([]);
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 0, reserved: 4 * USD });
  });

  it('of hundreds of requests of a dead worker are all charged by one status', async () => {
    const clock = { now: NOON };
    const store = storeAt(clock);
    const keyHash = newKeyHash();
    await Promise.all(Array.from({ length: 300 }, () => store.reserve(reservation(keyHash, {}, USD))));
    clock.now += 30_000;
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 300 * USD, reserved: 0 });
  });

  it('tell which operations are no longer held', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    const settled = reservation(keyHash, {}, USD);
    const held = reservation(keyHash, {}, USD);
    await store.reserve(settled);
    await store.reserve(held);
    await store.release(settled, { repeated: false });
    const unknown = randomUUID();
    const gone = await store.renew(keyHash, [settled.operationId, held.operationId, unknown]);
    expect(gone).toEqual([settled.operationId, unknown]);
  });
});

describe('windows', () => {
  it.each([
    ['minute', Date.UTC(2026, 1, 28, 23, 59, 30), 30_000],
    ['hourly', Date.UTC(2026, 1, 28, 23, 30), 1_800_000],
    ['daily', Date.UTC(2026, 1, 28, 18), 6 * 3_600_000],
    // 2026-03-01 is a Sunday: ISO weeks begin on Monday.
    ['weekly', Date.UTC(2026, 2, 1, 0), 86_400_000],
    ['weekly', Date.UTC(2026, 2, 2, 0), 7 * 86_400_000],
    ['monthly', Date.UTC(2026, 1, 1), 28 * 86_400_000],
    ['monthly', Date.UTC(2028, 1, 29, 12), 43_200_000],
    ['monthly', Date.UTC(2026, 11, 31, 12), 43_200_000],
    ['monthly', Date.UTC(2027, 0, 1), 31 * 86_400_000],
  ])('%s at %d ends when UTC says so', async (window, now, resetMs) => {
    const status = await windowStatus(storeAt({ now }), newKeyHash(), window);
    expect(status.resetMs).toBe(resetMs);
  });

  it('end on the right day in every month of 40 years', async () => {
    const expected: number[] = [];
    const actual: (number | undefined)[] = [];
    for (let month = 0; month < 480; month += 7) {
      const now = Date.UTC(2020, month, 15, 6);
      expected.push(Date.UTC(2020, month + 1, 1) - now);
      const status = await storeAt({ now }).status(newKeyHash(), windowAccounts({}));
      actual.push(status[4]?.resetMs);
    }
    expect(actual).toEqual(expected);
  });

  it('start empty when they turn', async () => {
    const clock = { now: NOON };
    const store = storeAt(clock);
    const keyHash = newKeyHash();
    const spent = reservation(keyHash, { hourly: USD }, USD);
    await store.reserve(spent);
    await store.settle({ ...spent, costNanoUsd: USD, repeated: false });
    clock.now += 3_599_999;
    expect(await store.reserve(reservation(keyHash, { hourly: USD }, 1))).toMatchObject({ kind: 'refused' });
    clock.now += 1;
    expect(await store.reserve(reservation(keyHash, { hourly: USD }, USD))).toMatchObject({
      kind: 'reserved',
    });
  });

  it('never reopen when the clock goes back', async () => {
    const clock = { now: NOON };
    const store = storeAt(clock);
    const keyHash = newKeyHash();
    const spent = reservation(keyHash, { minute: USD, daily: USD }, USD);
    await store.reserve(spent);
    await store.settle({ ...spent, costNanoUsd: USD, repeated: false });
    clock.now -= 2 * 86_400_000;
    const again = await store.reserve(reservation(keyHash, { minute: USD, daily: USD }, USD));
    expect(again).toMatchObject({ kind: 'refused' });
    expect(await windowStatus(store, keyHash, 'minute')).toMatchObject({
      spent: USD,
      resetMs: 2 * 86_400_000 + 60_000,
    });
  });

  it('are forgotten by Redis some time after they end', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    await store.reserve(reservation(keyHash, {}, USD));
    const ttl = await redis.client.pttl(spendKey(keyHash, 'windows'));
    expect(ttl).toBeGreaterThan(31 * 86_400_000);
    expect(ttl).toBeLessThanOrEqual(40 * 86_400_000);
    expect(await redis.client.pttl(holdsKey(keyHash))).toBeGreaterThan(30_000);
  });
});

describe('a lease that is put off late', () => {
  it('is a reservation again, whether somebody has charged it in between or not', async () => {
    const clock = { now: NOON };
    const store = storeAt(clock);
    for (const isCharged of [true, false]) {
      const keyHash = newKeyHash();
      const held = reservation(keyHash, { daily: USD }, 1_000);
      await store.reserve(held);
      clock.now += 60_000;
      if (isCharged)
        expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 1_000, reserved: 0 });
      expect(await store.renew(keyHash, [held.operationId])).toEqual([]);
      expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 0, reserved: 1_000 });
      expect(Number(await redis.client.hget(riskProfileKey(keyHash), 'total_spend'))).toBe(0);
    }
  });
});

describe('alert thresholds', () => {
  it('are crossed once per key, window and threshold', async () => {
    const clock = { now: NOON };
    const store = storeAt(clock, { alertPercents: [50, 80, 100] });
    const keyHash = newKeyHash();
    const limits = { hourly: 10 * USD };
    async function spend(usd: number): Promise<number[]> {
      const held = reservation(keyHash, limits, 0);
      await store.reserve(held);
      const { crossed } = await store.settle({ ...held, costNanoUsd: usd * USD, repeated: false });
      expect(crossed.every(({ account }) => account.name === 'hourly')).toBe(true);
      return crossed.map(({ percent }) => percent);
    }
    expect(await spend(4)).toEqual([]);
    expect(await spend(1)).toEqual([50]);
    expect(await spend(1)).toEqual([]);
    expect(await spend(3)).toEqual([80]);
    expect(await spend(2)).toEqual([100]);
    clock.now += 3_600_000;
    expect(await spend(9)).toEqual([50, 80]);
  });

  it('are reported again to a repeat of the settlement whose reply was lost', async () => {
    const store = budgetStore(client, { alertPercents: [50] });
    const held = reservation(newKeyHash(), { daily: USD }, USD);
    await store.reserve(held);
    const settlement = { ...held, costNanoUsd: USD, repeated: false };
    const first = await store.settle(settlement);
    expect(first.crossed).toHaveLength(1);
    expect((await store.settle({ ...settlement, repeated: true })).crossed).toEqual(first.crossed);
  });
});

describe('limits', () => {
  it('are set, kept and removed window by window', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    await store.setLimits(keyHash, { daily: 5 * USD, monthly: 0, minute: 9_000_000 * USD });
    await store.setLimits(keyHash, { minute: null });
    expect(await store.getLimits(keyHash)).toEqual({ daily: 5 * USD, monthly: 0 });
    await store.setLimits(undefined, { hourly: USD });
    expect(await store.getLimits(undefined)).toEqual({ hourly: USD });
  });

  it('that are damaged refuse, for reading them as no limit would open the gate', async () => {
    const keyHash = newKeyHash();
    await redis.client.hset(budgetLimitsKey(keyHash), 'daily', 'many');
    await expect(budgetStore(client).getLimits(keyHash)).rejects.toMatchObject({ type: 'redis_unavailable' });
  });
});

describe('what is damaged, or of a version that is not known', () => {
  it('refuses every step, and changes nothing', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    const held = reservation(keyHash, { daily: USD }, 1_000);
    await store.reserve(held);
    const ledger = spendKey(keyHash, 'windows');
    const stored = await redis.client.getBuffer(ledger);
    for (const damaged of [
      Buffer.from([9, 5]),
      stored?.subarray(0, 40) ?? Buffer.alloc(0),
      Buffer.alloc(0),
    ]) {
      await redis.client.set(ledger, damaged, 'KEEPTTL');
      const before = await redis.client.dumpBuffer(ledger);
      await expect(store.reserve(reservation(keyHash, { daily: USD }, 1))).rejects.toMatchObject({
        type: 'redis_unavailable',
      });
      await expect(store.settle({ ...held, costNanoUsd: 1, repeated: false })).rejects.toMatchObject({
        type: 'redis_unavailable',
      });
      expect(await redis.client.dumpBuffer(ledger)).toEqual(before);
    }
    await redis.client.set(ledger, stored ?? '', 'KEEPTTL');
    await redis.client.set(holdKey(keyHash, held.operationId), Buffer.from([9]), 'KEEPTTL');
    await expect(store.settle({ ...held, costNanoUsd: 1, repeated: false })).rejects.toMatchObject({
      type: 'redis_unavailable',
    });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 0, reserved: 1_000 });
  });
});

describe('on a cluster', () => {
  it('keeps every key of a script in the slot of the risk profile, and lock and anchor apart', () => {
    const keyHash = newKeyHash();
    const slot = calculateSlot(riskProfileKey(keyHash));
    const keys = [
      holdsKey(keyHash),
      holdKey(keyHash, randomUUID()),
      budgetLimitsKey(keyHash),
      ...windowAccounts({}).map(({ ledger }) => spendKey(keyHash, ledger)),
    ];
    expect(keys.map((key) => calculateSlot(key))).toEqual(keys.map(() => slot));
    expect(calculateSlot(quarantineKey(keyHash))).not.toBe(slot);
  });
});

describe('a limit of the client’s own that may be lowered', () => {
  let store: BudgetStore;
  beforeAll(() => {
    store = budgetStore(client);
  });
  /** 1,000 nano-USD a token. */
  const asking = (keyHash: string, tokens: number, more: Partial<Reservation> = {}) =>
    reservation(keyHash, { minute: USD, daily: 3_000_000 }, 500_000, {
      outputNanoUsd: 1_000,
      outputTokens: tokens,
      lowestTokens: 1_024,
      ...more,
    });

  it('is lowered to what is left beside the input, in the tightest account', async () => {
    const keyHash = newKeyHash();
    expect(await store.reserve(asking(keyHash, 128_000))).toMatchObject({
      kind: 'reserved',
      outputTokens: 2_500,
      amountNanoUsd: 3_000_000,
    });
  });

  it('is left alone where it fits, and refused where it may not go so far down', async () => {
    expect(await store.reserve(asking(newKeyHash(), 2_500))).toMatchObject({ outputTokens: 2_500 });
    expect(await store.reserve(asking(newKeyHash(), 2_501, { lowestTokens: 2_501 }))).toMatchObject({
      kind: 'refused',
      amountNanoUsd: 3_001_000,
    });
    expect(await store.reserve(asking(newKeyHash(), 128_000, { lowestTokens: 2_600 }))).toMatchObject({
      kind: 'refused',
      amountNanoUsd: 3_100_000,
    });
    expect(await store.reserve(asking(newKeyHash(), 2_501, { lowestTokens: undefined }))).toMatchObject({
      kind: 'refused',
    });
  });

  it('is told as it was lowered where the command is repeated', async () => {
    const request = asking(newKeyHash(), 128_000);
    const first = await store.reserve(request);
    expect(await store.reserve(request)).toMatchObject({ kind: 'reserved', outputTokens: 2_500 });
    expect(first).toMatchObject({ outputTokens: 2_500 });
  });

  it.each([1_000, 0.3, 33.7, 1e9 / 3])(
    'never takes more than is left, at %d nano-USD a token',
    async (rate) => {
      const keyHash = newKeyHash();
      const limit = Math.ceil(10_000 * rate);
      const results = await Promise.all(
        Array.from({ length: 200 }, () =>
          store.reserve(
            reservation(keyHash, { daily: limit }, 0, {
              outputNanoUsd: rate,
              outputTokens: 6_000,
              lowestTokens: 1_024,
            }),
          ),
        ),
      );
      const granted = results.flatMap((result) => (result.kind === 'reserved' ? [result] : []));
      expect(granted.map(({ outputTokens }) => outputTokens)).toEqual([6_000, expect.closeTo(4_000, -1)]);
      const { reserved } = await windowStatus(store, keyHash, 'daily');
      expect(reserved).toBeLessThanOrEqual(limit);
    },
  );
});
