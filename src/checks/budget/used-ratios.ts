import type { BudgetLimits } from '../../budget-windows.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import { windowAccounts } from './accounts.ts';
import type { BudgetStore } from './store.ts';

const REFRESH_MS = 10_000;
const FIRST_SHOWN_MS = 1_000;

/** Used share of a window's limit; 1 if the limit is 0. */
export interface UsedRatio {
  readonly key: string;
  readonly window: string;
  readonly ratio: number;
}

export interface UsedRatiosParts {
  readonly store: Pick<BudgetStore, 'status'>;
  readonly maxKeys: number;
  readonly show: (ratios: readonly UsedRatio[]) => void;
  readonly refreshMs?: number;
}

/** Shows the most recently charged keys' budgets. Polls the store, because windows reset without a charge. */
export interface UsedRatios {
  charged(exchange: Pick<Parsed, 'key' | 'budget'>): void;
  close(): Promise<void>;
}

export function createUsedRatios({
  store,
  maxKeys,
  show,
  refreshMs = REFRESH_MS,
}: UsedRatiosParts): UsedRatios {
  const followed = new Map<string, { readonly name: string; readonly limits: BudgetLimits }>();
  let refreshing: Promise<void> | undefined;
  let soon: NodeJS.Timeout | undefined;

  async function refresh(): Promise<void> {
    const ratios: UsedRatio[] = [];
    for (const [keyHash, { name, limits }] of [...followed]) {
      const windows = await store.status(keyHash, windowAccounts(limits));
      for (const { account, spentNanoUsd } of windows) {
        const { name: window, limitNanoUsd } = account;
        if (limitNanoUsd === undefined) continue;
        ratios.push({ key: name, window, ratio: limitNanoUsd === 0 ? 1 : spentNanoUsd / limitNanoUsd });
      }
    }
    show(ratios);
  }

  function refreshNow(): void {
    soon = undefined;
    // If the store fails, the last ratios remain. Other metrics report the failure.
    refreshing ??= refresh()
      .catch(() => undefined)
      .finally(() => (refreshing = undefined));
  }

  const timer = setInterval(() => {
    if (followed.size > 0) refreshNow();
  }, refreshMs).unref();

  return {
    charged({ key, budget }) {
      const isNew = !followed.delete(key.keyHash);
      followed.set(key.keyHash, { name: key.name, limits: budget.limits });
      if (isNew) soon ??= setTimeout(refreshNow, FIRST_SHOWN_MS).unref();
      if (followed.size <= maxKeys) return;
      for (const [oldest] of followed) {
        followed.delete(oldest);
        return;
      }
    },
    async close() {
      clearInterval(timer);
      clearTimeout(soon);
      await refreshing;
    },
  };
}
