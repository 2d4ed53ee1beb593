import { describe, expect, it } from 'vitest';
import { windowAccounts } from '../../../../src/checks/budget/accounts.ts';
import type { Account, BudgetStore } from '../../../../src/checks/budget/store.ts';
import { createZonedCalendars } from '../../../../src/checks/budget/zoned-windows.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import { budgetStore, newKeyHash, reservation, useRedis } from './support.ts';

/** docs/budgets.md: days, weeks and months of a time zone. */
const HOUR_MS = 3_600_000;
const ZONE = 'Europe/Vienna';

let client: RedisClient;
useRedis((started) => ({ client } = started));

/** Redis's clock. */
let now = 0;
const store = (): BudgetStore => budgetStore(client, { now: () => now });

/** The accounts as named by a gateway whose clock is `aheadMs` ahead of Redis. */
function accounts(aheadMs = 0, zone = ZONE): Account[] {
  return windowAccounts({ daily: 1_000 }, createZonedCalendars(zone, () => now + aheadMs)());
}

async function spend(keyHash: string, nanoUsd: number, aheadMs = 0) {
  const held = { ...reservation(keyHash, {}, nanoUsd), accounts: accounts(aheadMs) };
  const { kind } = await store().reserve(held);
  if (kind === 'reserved') await store().settle({ ...held, costNanoUsd: nanoUsd, repeated: false });
  return kind;
}

async function dailyOf(keyHash: string) {
  const found = (await store().status(keyHash, accounts())).find(({ account }) => account.name === 'daily');
  return { spent: found?.spentNanoUsd, resetHours: (found?.resetMs ?? 0) / HOUR_MS };
}

describe('a day in a time zone', () => {
  it.each([
    ['in winter', Date.UTC(2026, 10, 26, 22, 30), 0.5],
    ['in summer', Date.UTC(2026, 6, 1, 21, 0), 1],
    ['of 23 hours', Date.UTC(2026, 2, 28, 23, 0), 23],
    ['of 25 hours', Date.UTC(2026, 9, 24, 22, 0), 25],
  ])('%s ends at its midnight', async (_when, time, hours) => {
    now = time;
    const keyHash = newKeyHash();
    expect(await spend(keyHash, 1_000)).toBe('reserved');
    expect(await dailyOf(keyHash)).toEqual({ spent: 1_000, resetHours: hours });
    now += hours * HOUR_MS - 1;
    expect(await spend(keyHash, 1)).toBe('refused');
    now += 1;
    expect(await spend(keyHash, 1_000)).toBe('reserved');
  });

  it.each([-12 * HOUR_MS, -1_000, 1_000, 12 * HOUR_MS])(
    'is determined by Redis’s clock, though the gateway’s is %d ms off',
    async (aheadMs) => {
      // Half a second after midnight in Vienna.
      now = Date.UTC(2026, 10, 26, 23, 0) + 500;
      const keyHash = newKeyHash();
      expect(await spend(keyHash, 600, aheadMs)).toBe('reserved');
      expect(await spend(keyHash, 600)).toBe('refused');
      expect(await spend(keyHash, 600, aheadMs)).toBe('refused');
      expect(await spend(keyHash, 400, aheadMs)).toBe('reserved');
      expect(await dailyOf(keyHash)).toMatchObject({ spent: 1_000 });
    },
  );

  it('is refused to a gateway whose clock is days off', async () => {
    now = Date.UTC(2026, 10, 26, 12);
    await expect(spend(newKeyHash(), 1, 72 * HOUR_MS)).rejects.toThrow('Redis');
  });

  it('keeps the spend when the time zone of a budget changes', async () => {
    now = Date.UTC(2026, 10, 26, 12);
    const keyHash = newKeyHash();
    expect(await spend(keyHash, 600)).toBe('reserved');
    const elsewhere = { ...reservation(keyHash, {}, 600), accounts: accounts(0, 'Asia/Kathmandu') };
    expect(await store().reserve(elsewhere)).toMatchObject({ kind: 'refused' });
  });
});

describe('calendars in a time zone', () => {
  it('name the windows around now, and change at midnight', () => {
    let time = Date.UTC(2026, 10, 26, 18, 0);
    const calendars = createZonedCalendars('Asia/Kathmandu', () => time);
    const hours = (calendar = ''): number[] =>
      calendar
        .slice('at:'.length)
        .split(':')
        .map((at) => (Number(at) - Date.UTC(2026, 10, 26)) / HOUR_MS);
    expect(hours(calendars().daily)).toEqual([-29.75, -5.75, 18.25, 42.25]);
    expect(new Date(Number(calendars().monthly?.split(':')[2])).toISOString()).toBe(
      '2026-10-31T18:15:00.000Z',
    );
    expect(new Date(Number(calendars().weekly?.split(':')[2])).toISOString()).toBe(
      '2026-11-22T18:15:00.000Z',
    );
    time += HOUR_MS;
    expect(hours(calendars().daily)).toEqual([-5.75, 18.25, 42.25, 66.25]);
  });
});
