import { randomUUID } from 'node:crypto';
import { it, expect } from 'vitest';
import { newKeyHash, reservation, USD, windowStatus, budgetStore, heldIn } from '../support.ts';
import { windowAccounts } from '../../../../../src/checks/budget/accounts.ts';
import {
  spendKey,
  holdsKey,
  riskProfileKey,
  budgetLimitsKey,
  holdKey,
  quarantineKey,
} from '../../../../../src/redis/keys.ts';
import { NOON, storeAt, client, redis } from './rig.ts';
import { slotOf } from '../../../../support/redis-cluster.ts';

/** 4 USD of a day's 10, held at noon. */
async function holding() {
  const clock = { now: NOON };
  const store = storeAt(clock);
  const { keyHash, held } = await heldIn(store, { daily: 10 * USD }, 4 * USD);
  return { clock, store, keyHash, held };
}

export function leases(): void {
  it('that have expired are charged in full at the next access to the account', async () => {
    const { clock, store, keyHash } = await holding();
    clock.now += 30_000;
    expect(await store.reserve(reservation(keyHash, { daily: 10 * USD }, 7 * USD))).toMatchObject({
      kind: 'refused',
    });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 4 * USD, reserved: 0 });
  });

  it('are not charged while they are renewed', async () => {
    const { clock, store, keyHash, held } = await holding();
    for (let i = 0; i < 6; i++) {
      clock.now += 10_000;
      await store.renew(keyHash, [held.operationId]);
    }
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 0, reserved: 4 * USD });
  });

  it('yield to a late settlement, which replaces the charge', async () => {
    const { clock, store, keyHash, held } = await holding();
    clock.now += 31_000;
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 4 * USD, reserved: 0 });
    await store.settle({ ...held, costNanoUsd: USD, repeated: false });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: USD, reserved: 0 });
  });

  it('become a reservation again when a stalled worker renews them', async () => {
    const { clock, store, keyHash, held } = await holding();
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

  it('report operations that are no longer held', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    const settled = reservation(keyHash, {}, USD);
    const held = reservation(keyHash, {}, USD);
    await store.reserve(settled);
    await store.reserve(held);
    await store.release(settled);
    const unknown = randomUUID();
    const gone = await store.renew(keyHash, [settled.operationId, held.operationId, unknown]);
    expect(gone).toEqual([settled.operationId, unknown]);
  });
}

export function windows(): void {
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
  ])('%s at %d ends at the UTC boundary', async (window, now, resetMs) => {
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
    const { keyHash, held: spent } = await heldIn(store, { hourly: USD }, USD);
    await store.settle({ ...spent, costNanoUsd: USD, repeated: false });
    clock.now += 3_599_999;
    expect(await store.reserve(reservation(keyHash, { hourly: USD }, 1))).toMatchObject({ kind: 'refused' });
    clock.now += 1;
    expect(await store.reserve(reservation(keyHash, { hourly: USD }, USD))).toMatchObject({
      kind: 'reserved',
    });
  });

  it('expire in Redis some time after they end', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    await store.reserve(reservation(keyHash, {}, USD));
    const ttl = await redis.client.pttl(spendKey(keyHash, 'windows'));
    expect(ttl).toBeGreaterThan(31 * 86_400_000);
    expect(ttl).toBeLessThanOrEqual(40 * 86_400_000);
    expect(await redis.client.pttl(holdsKey(keyHash))).toBeGreaterThan(30_000);
  });
}

export function lateLease(): void {
  it('is a reservation again, whether or not it was charged in between', async () => {
    const clock = { now: NOON };
    const store = storeAt(clock);
    for (const isCharged of [true, false]) {
      const { keyHash, held } = await heldIn(store, { daily: USD }, 1_000);
      clock.now += 60_000;
      if (isCharged)
        expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 1_000, reserved: 0 });
      expect(await store.renew(keyHash, [held.operationId])).toEqual([]);
      expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 0, reserved: 1_000 });
      expect(Number(await redis.client.hget(riskProfileKey(keyHash), 'total_spend'))).toBe(0);
    }
  });
}

export function alertThresholds(): void {
  it('are reported once per key, window and threshold', async () => {
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
}

export function limits(): void {
  it('are set, kept and removed window by window', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    await store.setLimits(keyHash, { daily: 5 * USD, monthly: 0, minute: 9_000_000 * USD });
    await store.setLimits(keyHash, { minute: null });
    expect(await store.getLimits(keyHash)).toEqual({ daily: 5 * USD, monthly: 0 });
    await store.setLimits(undefined, { hourly: USD });
    expect(await store.getLimits(undefined)).toEqual({ hourly: USD });
  });

  it('that are damaged refuse, since reading them as no limit would open the gate', async () => {
    const keyHash = newKeyHash();
    await redis.client.hset(budgetLimitsKey(keyHash), 'daily', 'many');
    await expect(budgetStore(client).getLimits(keyHash)).rejects.toMatchObject({ type: 'redis_unavailable' });
  });
}

export function damaged(): void {
  it('refuses every step, and changes nothing', async () => {
    const store = budgetStore(client);
    const { keyHash, held } = await heldIn(store, { daily: USD }, 1_000);
    const ledger = spendKey(keyHash, 'windows');
    const stored = await redis.client.getBuffer(ledger);
    for (const [damaged, type] of [
      [Buffer.from([9, 5]), 'stored_form_unknown'],
      [stored?.subarray(0, 40) ?? Buffer.alloc(0), 'redis_unavailable'],
      [Buffer.alloc(0), 'redis_unavailable'],
    ] as const) {
      await redis.client.set(ledger, damaged, 'KEEPTTL');
      const before = await redis.client.dumpBuffer(ledger);
      await expect(store.reserve(reservation(keyHash, { daily: USD }, 1))).rejects.toMatchObject({ type });
      await expect(store.settle({ ...held, costNanoUsd: 1, repeated: false })).rejects.toMatchObject({
        type,
      });
      expect(await redis.client.dumpBuffer(ledger)).toEqual(before);
    }
    await redis.client.set(ledger, stored ?? '', 'KEEPTTL');
    await redis.client.set(holdKey(keyHash, held.operationId), Buffer.from([9]), 'KEEPTTL');
    await expect(store.settle({ ...held, costNanoUsd: 1, repeated: false })).rejects.toMatchObject({
      type: 'stored_form_unknown',
    });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 0, reserved: 1_000 });
  });
}

export function onCluster(): void {
  it('keeps every key of a script in the slot of the risk profile, and lock and anchor apart', () => {
    const keyHash = newKeyHash();
    const slot = slotOf(riskProfileKey(keyHash));
    const keys = [
      holdsKey(keyHash),
      holdKey(keyHash, randomUUID()),
      budgetLimitsKey(keyHash),
      ...windowAccounts({}).map(({ ledger }) => spendKey(keyHash, ledger)),
    ];
    expect(keys.map(slotOf)).toEqual(keys.map(() => slot));
    expect(slotOf(quarantineKey(keyHash))).not.toBe(slot);
  });
}
