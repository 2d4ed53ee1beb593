import { sharedBudget } from '../../checks/budget/shared.ts';
import type { AccountStatus } from '../../checks/budget/store.ts';
import type { SharedBudgetSettings } from '../../config/sections/budgets.ts';
import type { Operations } from '../operations.ts';

/** A budget that several keys share, and the state of its windows. */
export interface SharedBudgetStatus {
  readonly settings: SharedBudgetSettings;
  readonly windows: readonly AccountStatus[];
}

/** Reads the windows of these shared budgets, in their order. */
export function readSharedBudgets(
  { budgets }: Pick<Operations, 'budgets'>,
  all: readonly SharedBudgetSettings[],
): Promise<SharedBudgetStatus[]> {
  return Promise.all(
    all.map(async (settings) => {
      const { keyHash, accounts } = await sharedBudget(settings);
      return { settings, windows: await budgets.status(keyHash, accounts) };
    }),
  );
}
