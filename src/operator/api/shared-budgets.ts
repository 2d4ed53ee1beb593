import { usedPercent, windowJson } from '../../checks/budget/status-json.ts';
import type { PageServices } from '../services.ts';
import { readSharedBudgets, type SharedBudgetStatus } from '../views/shared-budgets.ts';
import { pageQuery } from './bodies.ts';
import { listPage } from '../survey/page.ts';
import { route, type Route } from './route.ts';
import { sharedBudgets, type SharedBudget } from './schemas/keys.ts';

export function sharedBudgetRoutes({ config, operations }: PageServices): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/shared-budgets',
      summary: 'Shared budgets, most used first',
      role: 'viewer',
      query: pageQuery,
      answer: sharedBudgets,
      handle: async ({ query }) => {
        const [all, now] = await Promise.all([
          readSharedBudgets(operations, config.budgets),
          operations.readClock(),
        ]);
        const shown = all
          .map((budget) => sharedBudgetView(budget, now))
          .toSorted((one, other) => other.used_percent - one.used_percent);
        return listPage(shown, query);
      },
    }),
  ];
}

/** @param now in Redis time */
function sharedBudgetView({ name, match, timeZone, windows }: SharedBudgetStatus, now: number): SharedBudget {
  return {
    name,
    match: Object.entries(match).flatMap(([by, values]) => conditions(by, values)),
    time_zone: timeZone,
    windows: windows.map((window) => windowJson(window, now)),
    used_percent: usedPercent(windows),
  };
}

/** Array elements are alternatives. Each tag and each claim is a separate condition that must match. */
function conditions(by: string, values: unknown): SharedBudget['match'] {
  if (Array.isArray(values)) return [{ by, values: values.map(String) }];
  return Object.entries(values ?? {}).map(([name, value]) => ({
    by: `${by}.${name}`,
    values: [String(value)],
  }));
}
