import { GatewayError } from '../errors.ts';
import { checkForm } from './stored-forms.ts';
import type { BudgetLimits } from '../pipeline/exchange.ts';

/** The windows of a budget, shortest first; also the values of `X-Gateway-Budget-Window` (docs/budgets.md). */
export const BUDGET_WINDOWS = ['minute', 'hourly', 'daily', 'weekly', 'monthly'] as const;

export type BudgetWindow = (typeof BUDGET_WINDOWS)[number];

/** The highest limit, so that sums of nano-USD stay exact in doubles. */
export const MAX_LIMIT_USD = 9_000_000;

/** True where the key has a budget, if only of 0. */
export function hasBudget(limits: BudgetLimits): boolean {
  return BUDGET_WINDOWS.some((window) => limits[window] !== undefined);
}

/**
 * Reads a stored limits hash (`HGETALL`); an empty one is no budget. A value that is no amount is a damaged store:
 * it throws `redis_unavailable`, for reading it as "no limit" would open the gate.
 */
export function parseBudgetLimits(fields: Readonly<Record<string, string>>): BudgetLimits {
  checkForm('limits', fields['form']);
  const limits: { -readonly [Window in BudgetWindow]?: number } = {};
  for (const window of BUDGET_WINDOWS) {
    const stored = fields[window];
    if (stored === undefined) {
      continue;
    }
    if (!/^\d{1,16}$/.test(stored)) {
      throw new GatewayError('redis_unavailable', `The stored ${window} budget is damaged: set it again`);
    }
    limits[window] = Number(stored);
  }
  return limits;
}

/** A key's own budget where it has any limit, else the default budget. */
export function effectiveLimits(own: BudgetLimits, fallback: BudgetLimits): BudgetLimits {
  return hasBudget(own) ? own : fallback;
}
