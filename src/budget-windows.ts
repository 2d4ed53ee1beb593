/**
 * Budget windows, shortest first; also the values of `X-Gateway-Budget-Window` (docs/budgets.md). Limits, settings,
 * options and fields derive from these rows. `checks/budget/windows.lua` computes where a `calendar` begins.
 */
const WINDOWS = {
  minute: { calendar: 'minute', period: 'minute' },
  hourly: { calendar: 'hour', period: 'hour' },
  daily: { calendar: 'day', period: 'day', isLocal: true },
  weekly: { calendar: 'week', period: 'week, from Monday', isLocal: true },
  monthly: { calendar: 'month', period: 'calendar month', isLocal: true },
} as const;

export type BudgetWindow = keyof typeof WINDOWS;

export type WindowCalendar = (typeof WINDOWS)[BudgetWindow]['calendar'];

interface WindowRow {
  readonly calendar: WindowCalendar;
  /** Completes "USD per …". */
  readonly period: string;
  /** Set if the window begins at local midnight in the budget's time zone. */
  readonly isLocal?: true;
}

export const BUDGET_WINDOW: Readonly<Record<BudgetWindow, WindowRow>> = WINDOWS;

export const BUDGET_WINDOWS = Object.keys(WINDOWS) as readonly BudgetWindow[];

/** Nano-USD by window. Missing windows have no limit; 0 blocks. */
export type BudgetLimits = { readonly [Window in BudgetWindow]?: number };

/** Returns an object with the result of `make` for each window. */
export function byWindow<Derived>(
  make: (row: WindowRow, window: BudgetWindow) => Derived,
): Record<BudgetWindow, Derived> {
  const entries = BUDGET_WINDOWS.map((window) => [window, make(BUDGET_WINDOW[window], window)]);
  return Object.fromEntries(entries) as Record<BudgetWindow, Derived>;
}
