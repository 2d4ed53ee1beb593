import { byWindow, type BudgetLimits } from '../budget-windows.ts';

/** Returns limits in USD by window, or null for no limit, as shown by commands and the API. */
export function limitsUsd(limits: BudgetLimits): Record<string, number | null> {
  return byWindow((_row, window) => {
    const nanoUsd = limits[window];
    return nanoUsd === undefined ? null : nanoUsd / 1e9;
  });
}
