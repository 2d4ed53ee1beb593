import type { Parsed } from '../../pipeline/exchange.ts';
import { WINDOWS_LEDGER } from './accounts.ts';
import type { BudgetCheckDeps } from './deps.ts';
import type { BudgetOperation, SettleResult } from './store.ts';

type Deps = Pick<BudgetCheckDeps, 'store' | 'onCrossed' | 'onAlert' | 'onFailure'>;

/** Reports crossed thresholds, without delaying the request. */
export function createThresholds(deps: Deps) {
  const reporting = new Set<Promise<void>>();
  return {
    report(parsed: Parsed, operation: BudgetOperation, crossed: SettleResult['crossed']): void {
      if (crossed.length === 0) return;
      for (const { account } of crossed) deps.onCrossed(account.name);
      const report = reportCrossed(deps, parsed, operation, crossed).finally(() => reporting.delete(report));
      reporting.add(report);
    },
    async close(): Promise<void> {
      await Promise.all(reporting);
    },
  };
}

/**
 * Reads the current spend first, since one answer may cross several thresholds. If that fails, reports the threshold
 * without an amount.
 */
async function reportCrossed(
  { store, onAlert, onFailure }: Deps,
  { key }: Parsed,
  { keyHash, accounts }: BudgetOperation,
  crossed: SettleResult['crossed'],
): Promise<void> {
  const windows = await store
    .status(
      keyHash,
      accounts.filter(({ ledger }) => ledger === WINDOWS_LEDGER),
    )
    .catch((cause: unknown) => {
      onFailure(cause);
      return [];
    });
  for (const { account, percent: thresholdPercent } of crossed) {
    const { limitNanoUsd = 0 } = account;
    const spentNanoUsd = windows.find((window) => window.account.name === account.name)?.spentNanoUsd;
    onAlert({
      keyHash: key.keyHash,
      keyName: key.name,
      window: account.name,
      ...(account.budget !== undefined && { budget: account.budget }),
      thresholdPercent,
      percent: percentOf(spentNanoUsd, limitNanoUsd, thresholdPercent),
      spentUsd: spentNanoUsd === undefined ? null : spentNanoUsd / 1e9,
      limitUsd: limitNanoUsd / 1e9,
    });
  }
}

/** Returns at least the threshold: a new window may have begun since it was crossed. */
function percentOf(spentNanoUsd: number | undefined, limitNanoUsd: number, thresholdPercent: number): number {
  if (spentNanoUsd === undefined || limitNanoUsd === 0) return thresholdPercent;
  return Math.max(thresholdPercent, Math.floor((spentNanoUsd * 100) / limitNanoUsd));
}
