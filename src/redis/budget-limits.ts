import { BUDGET_WINDOWS, type BudgetLimits, type BudgetWindow } from '../budget-windows.ts';
import { GatewayError } from '../errors.ts';
import { checkForm } from './stored-forms.ts';

/** Keeps nano-USD amounts below 2^53, so that doubles are exact. */
export const MAX_LIMIT_USD = 9_000_000;

export function hasBudget(limits: BudgetLimits): boolean {
  return BUDGET_WINDOWS.some((window) => limits[window] !== undefined);
}

/**
 * Parses a stored limits hash (`HGETALL`); an empty hash means no budget.
 * @throws GatewayError redis_unavailable for an invalid amount, which must not count as unlimited
 * @throws UnknownForm
 */
export function parseBudgetLimits(fields: Readonly<Record<string, string>>): BudgetLimits {
  checkForm('limits', fields['form']);
  const limits: { -readonly [Window in BudgetWindow]?: number } = {};
  for (const window of BUDGET_WINDOWS) {
    const stored = fields[window];
    if (stored === undefined) continue;
    if (!/^\d{1,16}$/.test(stored)) {
      throw new GatewayError('redis_unavailable', `The stored ${window} budget is damaged: set it again`);
    }
    limits[window] = Number(stored);
  }
  return limits;
}

export function effectiveLimits(own: BudgetLimits, fallback: BudgetLimits): BudgetLimits {
  return hasBudget(own) ? own : fallback;
}
