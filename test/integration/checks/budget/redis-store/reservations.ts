import { it, expect, beforeAll } from 'vitest';
import { connect, budgetStore, newKeyHash, reservation, USD, windowStatus, heldIn } from '../support.ts';
import type { BudgetStore, Reservation } from '../../../../../src/checks/budget/store.ts';
import { redis, client, NOON, storeAt } from './rig.ts';

export function reserving(): void {
  it('admits exactly 10 of 1,000 parallel requests into a budget for 10', async () => {
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

  it('names the tightest of the windows that a request does not fit into, with its reset', async () => {
    const clock = { now: NOON + 10_000 };
    const result = await storeAt(clock).reserve(
      reservation(newKeyHash(), { hourly: 2 * USD, daily: 3 * USD, monthly: 100 * USD }, 4 * USD),
    );
    expect(result).toMatchObject({
      kind: 'refused',
      tightest: { account: { name: 'hourly' }, remainingNanoUsd: 2 * USD, resetMs: 3_590_000 },
    });
  });

  it('blocks a key whose limit is 0, also for free requests', async () => {
    const result = await budgetStore(client).reserve(reservation(newKeyHash(), { monthly: 0 }, 0));
    expect(result).toMatchObject({ kind: 'refused', tightest: { account: { name: 'monthly' } } });
  });

  it('blocks free requests once a limit is reached', async () => {
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

  it('adds sums near the highest limit exactly', async () => {
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    const limits = { monthly: 9_000_000 * USD };
    await store.reserve(reservation(keyHash, limits, 8_999_999_999_999_998));
    expect(await store.reserve(reservation(keyHash, limits, 3))).toMatchObject({ kind: 'refused' });
    expect(await store.reserve(reservation(keyHash, limits, 2))).toMatchObject({ kind: 'reserved' });
    expect((await windowStatus(store, keyHash, 'monthly')).reserved).toBe(9_000_000 * USD);
  });
}

export function granting(): void {
  const output = { outputTokens: undefined, outputNanoUsd: 10_000 };

  it('grants the maximum if a quarter of the remainder pays for it', async () => {
    const result = await budgetStore(client).reserve(reservation(newKeyHash(), { daily: USD }, 0, output));
    expect(result).toMatchObject({ kind: 'reserved', outputTokens: 8192, amountNanoUsd: 81_920_000 });
  });

  it('shrinks to a quarter of the tightest account’s remainder after the input', async () => {
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
}

export function settling(): void {
  it('replaces the reservation by the cost and returns the remainder', async () => {
    const store = budgetStore(client);
    const { keyHash, held } = await heldIn(store, { daily: 10 * USD }, 4 * USD);
    const result = await store.settle({ ...held, costNanoUsd: USD, repeated: false });
    expect(result).toMatchObject({
      applied: true,
      reservedNanoUsd: 4 * USD,
      tightest: { account: { name: 'daily' }, remainingNanoUsd: 9 * USD },
    });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: USD, reserved: 0 });
  });

  it('charges a cost over the reservation in full', async () => {
    const store = budgetStore(client);
    const { held } = await heldIn(store, { daily: USD }, USD);
    const result = await store.settle({ ...held, costNanoUsd: 3 * USD, repeated: false });
    expect(result.tightest?.remainingNanoUsd).toBe(-2 * USD);
  });

  it('returns a released reservation in full', async () => {
    const store = budgetStore(client);
    const { keyHash, held } = await heldIn(store, { daily: USD }, USD);
    await store.release(held);
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 0, reserved: 0 });
  });

  it('does not change a window that has turned since the reservation', async () => {
    const clock = { now: NOON + 59_000 };
    const store = storeAt(clock);
    const { keyHash, held } = await heldIn(store, { minute: 10 * USD }, 4 * USD);
    clock.now += 2_000;
    await store.reserve(reservation(keyHash, { minute: 10 * USD }, USD));
    await store.settle({ ...held, costNanoUsd: 2 * USD, repeated: false });
    expect(await windowStatus(store, keyHash, 'minute')).toMatchObject({ spent: 0, reserved: USD });
    expect(await windowStatus(store, keyHash, 'hourly')).toMatchObject({ spent: 2 * USD, reserved: USD });
  });

  it('charges the current windows if Redis has lost the hold, on the first attempt only', async () => {
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
}

export function repeats(): void {
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
    const { keyHash, held } = await heldIn(store, { daily: 10 * USD }, 4 * USD);
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
    await store.release(late);
    expect(await store.reserve(late)).toEqual({ kind: 'closed' });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 0, reserved: 0 });
  });

  it('renew any number of times', async () => {
    const store = budgetStore(client);
    const { keyHash, held } = await heldIn(store, {}, USD);
    expect(await store.renew(keyHash, [held.operationId])).toEqual([]);
    expect(await store.renew(keyHash, [held.operationId])).toEqual([]);
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 0, reserved: USD });
  });
}

export function lowered(): void {
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

  it('is lowered to the remainder beside the input, in the tightest account', async () => {
    const keyHash = newKeyHash();
    expect(await store.reserve(asking(keyHash, 128_000))).toMatchObject({
      kind: 'reserved',
      outputTokens: 2_500,
      amountNanoUsd: 3_000_000,
    });
  });

  it('is left alone if it fits, and refused if it cannot be lowered so far', async () => {
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

  it('is returned as lowered if the command is repeated', async () => {
    const request = asking(newKeyHash(), 128_000);
    const first = await store.reserve(request);
    expect(await store.reserve(request)).toMatchObject({ kind: 'reserved', outputTokens: 2_500 });
    expect(first).toMatchObject({ outputTokens: 2_500 });
  });

  it.each([1_000, 0.3, 33.7, 1e9 / 3])(
    'never exceeds the remainder, at %d nano-USD a token',
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
}
