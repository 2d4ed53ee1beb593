import type { BudgetLimits } from '../pipeline/exchange.ts';
import { BUDGET_WINDOWS } from '../redis/budget-limits.ts';

/** Returns limits in USD by window, null for unlimited, as commands and the API show them. */
export function limitsUsd(limits: BudgetLimits): Record<string, number | null> {
  return Object.fromEntries(
    BUDGET_WINDOWS.map((window) => {
      const nanoUsd = limits[window];
      return [window, nanoUsd === undefined ? null : nanoUsd / 1e9];
    }),
  );
}
