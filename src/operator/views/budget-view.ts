import type { BudgetLimits } from '../../budget-windows.ts';
import { windowAccounts } from '../../checks/budget/accounts.ts';
import { usedPercent, windowJson } from '../../checks/budget/status-json.ts';
import type { AccountStatus } from '../../checks/budget/store.ts';
import type { KeyRecord } from '../../auth/key-record.ts';
import { effectiveLimits, hasBudget } from '../../redis/budget-limits.ts';
import type { Budget } from '../api/schemas/keys.ts';
import type { Operations } from '../operations.ts';

export function windowsOf(
  { budgets }: Pick<Operations, 'budgets'>,
  keyHash: string,
  limits: BudgetLimits,
): Promise<readonly AccountStatus[]> {
  return budgets.status(keyHash, windowAccounts(limits));
}

/** @param now in Redis time */
export async function readBudget(
  operations: Pick<Operations, 'budgets'>,
  { keyHash, name, owner }: KeyRecord,
  fallback: BudgetLimits,
  now: number,
): Promise<Budget> {
  const own = await operations.budgets.getLimits(keyHash);
  const windows = await windowsOf(operations, keyHash, effectiveLimits(own, fallback));
  return {
    key_hash: keyHash,
    name,
    owner: owner ?? null,
    source: hasBudget(own) ? 'own' : hasBudget(fallback) ? 'default' : 'none',
    windows: windows.map((window) => windowJson(window, now)),
    used_percent: usedPercent(windows),
  };
}
