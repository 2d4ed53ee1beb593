import type { AccountStatus } from './store.ts';

const MINUTE_MS = 60_000;

/** Returns the spent and reserved percentage of the limit in the most used window; 0 without a limit. */
export function usedPercent(windows: readonly AccountStatus[]): number {
  return Math.max(0, ...windows.map(windowPercent));
}

function windowPercent({ account, spentNanoUsd, reservedNanoUsd }: AccountStatus): number {
  const { limitNanoUsd } = account;
  if (limitNanoUsd === undefined) return 0;
  return limitNanoUsd === 0 ? 100 : ((spentNanoUsd + reservedNanoUsd) / limitNanoUsd) * 100;
}

/** `now` is Redis time in Unix ms. */
export function windowJson(status: AccountStatus, now: number) {
  const { account, spentNanoUsd, reservedNanoUsd, resetMs } = status;
  return {
    window: account.name,
    limit_usd: usd(account.limitNanoUsd),
    spent_usd: spentNanoUsd / 1e9,
    reserved_usd: reservedNanoUsd / 1e9,
    remaining_usd: usd(remaining(status)),
    resets_at: resetMs === undefined ? null : new Date(turnOf(now, resetMs)).toISOString(),
  };
}

function usd(nanoUsd: number | undefined): number | null {
  return nanoUsd === undefined ? null : nanoUsd / 1e9;
}

/** Rounds to whole minutes, at which all windows reset. Clock drift could otherwise turn 00:00 into 23:59. */
export function turnOf(now: number, resetMs: number): number {
  return Math.round((now + resetMs) / MINUTE_MS) * MINUTE_MS;
}

export function remaining({ account, spentNanoUsd, reservedNanoUsd }: AccountStatus): number | undefined {
  return account.limitNanoUsd === undefined
    ? undefined
    : Math.max(0, account.limitNanoUsd - spentNanoUsd - reservedNanoUsd);
}
