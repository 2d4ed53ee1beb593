import type { Parsed } from '../../pipeline/exchange.ts';
import { hasBudget } from '../../redis/budget-limits.ts';
import type { Account } from './store.ts';
import { windowAccounts } from './windows.ts';

/** The name of a session's account, also as a value of `X-Gateway-Budget-Window`. */
export const SESSION_ACCOUNT = 'session';

/** What a request is charged to: its key's windows, and its session, which records its spend without a limit too. */
export function accountsOf({ budgetLimits, facts }: Parsed): Account[] {
  const windows = windowAccounts(budgetLimits);
  if (facts.session === undefined) return windows;
  const session: Account = {
    name: SESSION_ACCOUNT,
    ledger: `session:${facts.session.id}`,
    calendar: 'none',
    limitNanoUsd: facts.session.budgetNanoUsd,
    idleMs: facts.session.lifeMs,
  };
  return [...windows, session];
}

/** True where the key or the session has a budget, if only of 0: then a request's cost must be bounded. */
export function isBudgeted({ budgetLimits, facts }: Parsed): boolean {
  return hasBudget(budgetLimits) || facts.session?.budgetNanoUsd !== undefined;
}
