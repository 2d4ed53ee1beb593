import { sharedBudget, storedBudget, type SharedBudget } from '../../checks/budget/shared.ts';
import type { AccountStatus } from '../../checks/budget/store.ts';
import type { SharedBudgetSettings } from '../../config/sections/budgets.ts';
import type { BudgetMatch } from '../../pipeline/exchange.ts';
import type { Operations } from '../operations.ts';

export interface SharedBudgetStatus {
  readonly name: string;
  readonly match: BudgetMatch;
  readonly timeZone: string;
  readonly source: 'configuration' | 'command';
  readonly windows: readonly AccountStatus[];
}

/** Returns configured budgets in order, followed by budgets set by commands. */
export async function readSharedBudgets(
  { budgets, sharedBudgets }: Pick<Operations, 'budgets' | 'sharedBudgets'>,
  configured: readonly SharedBudgetSettings[],
): Promise<SharedBudgetStatus[]> {
  const windowsOf = ({ keyHash, accounts }: SharedBudget): Promise<readonly AccountStatus[]> =>
    budgets.status(keyHash, accounts);
  // Awaited first, so that a failure leaves no other read unawaited.
  const stored = await sharedBudgets.list();
  const ofConfiguration = configured.map(async (settings): Promise<SharedBudgetStatus> => {
    const { name, match, time_zone: timeZone } = settings;
    const windows = await windowsOf(await sharedBudget(settings));
    return { name, match, timeZone, source: 'configuration', windows };
  });
  const ofCommands = stored.map(async (budget): Promise<SharedBudgetStatus> => {
    const { name, match } = budget;
    return {
      name,
      match,
      timeZone: 'UTC',
      source: 'command',
      windows: await windowsOf(storedBudget(budget)),
    };
  });
  return Promise.all([...ofConfiguration, ...ofCommands]);
}
