import type { BudgetLimits } from '../../pipeline/exchange.ts';
import { BUDGET_WINDOWS, type BudgetWindow } from '../../redis/budget-limits.ts';
import type { Account, Calendar } from './store.ts';

const CALENDARS: Readonly<Record<BudgetWindow, Calendar>> = {
  minute: 'minute',
  hourly: 'hour',
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
};

/** Longer than the longest window, so that none is forgotten before it ends. */
const OVER_A_MONTH_MS = 40 * 86_400_000;

/** The five windows of a key as accounts: all of them record spend, those with a limit can refuse. */
export function windowAccounts(limits: BudgetLimits): Account[] {
  return BUDGET_WINDOWS.map((window) => ({
    name: window,
    ledger: 'windows',
    calendar: CALENDARS[window],
    limitNanoUsd: limits[window],
    idleMs: OVER_A_MONTH_MS,
  }));
}
