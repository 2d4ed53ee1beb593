import { BUDGET_WINDOW, BUDGET_WINDOWS, type BudgetLimits, type BudgetWindow } from '../../budget-windows.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import { hasBudget } from '../../redis/budget-limits.ts';
import type { Account, Calendar } from './store.ts';

/** Ledger lifetime; must exceed the longest window. */
const OVER_A_MONTH_MS = 40 * 86_400_000;

export const WINDOWS_LEDGER = 'windows';

/** Returns all budget windows as accounts, in UTC by default. All record spend; only those with a limit refuse. */
export function windowAccounts(
  limits: BudgetLimits,
  calendars: { readonly [Window in BudgetWindow]?: Calendar } = {},
): Account[] {
  return BUDGET_WINDOWS.map((window) => ({
    name: window,
    ledger: WINDOWS_LEDGER,
    calendar: calendars[window] ?? BUDGET_WINDOW[window].calendar,
    limitNanoUsd: limits[window],
    idleMs: OVER_A_MONTH_MS,
  }));
}

/** Also a value of the `X-Gateway-Budget-Window` header. */
export const SESSION_ACCOUNT = 'session';

export function accountsOf({ budget, facts }: Parsed): Account[] {
  const windows = windowAccounts(budget.limits);
  if (facts.session === undefined || facts.session === null) return windows;
  const session: Account = {
    name: SESSION_ACCOUNT,
    ledger: `session:${facts.session.id}`,
    calendar: 'none',
    limitNanoUsd: facts.session.budgetNanoUsd,
    idleMs: facts.session.lifeMs,
  };
  return [...windows, session];
}

/** Reports whether the key or session has a budget (possibly 0), so that request costs must be bounded. */
export function isBudgeted({ budget, facts }: Parsed): boolean {
  return hasBudget(budget.limits) || facts.session?.budgetNanoUsd !== undefined;
}
