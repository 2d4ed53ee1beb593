import type { BudgetLimits } from '../pipeline/exchange.ts';
import { BUDGET_WINDOWS } from '../redis/budget-limits.ts';

/** Returns limits as commands and the API show them: USD by window, null without a limit. */
export function limitsUsd(limits: BudgetLimits): Record<string, number | null> {
  return Object.fromEntries(
    BUDGET_WINDOWS.map((window) => {
      const nanoUsd = limits[window];
      return [window, nanoUsd === undefined ? null : nanoUsd / 1e9];
    }),
  );
}
