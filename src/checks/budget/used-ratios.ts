import type { BudgetLimits, Parsed } from '../../pipeline/exchange.ts';
import { windowAccounts } from './accounts.ts';
import type { BudgetStore } from './store.ts';

const REFRESH_MS = 10_000;
/** A key that was not followed is shown after this time. */
const FIRST_SHOWN_MS = 1_000;

/** The share of a window's limit that is spent; 1 if the limit is 0. */
export interface UsedRatio {
  readonly key: string;
  readonly window: string;
  readonly ratio: number;
}

export interface UsedRatiosParts {
  readonly store: Pick<BudgetStore, 'status'>;
  /** `metrics.budget_keys`. */
  readonly maxKeys: number;
  /** Replaces everything that was shown. */
  readonly show: (ratios: readonly UsedRatio[]) => void;
  readonly refreshMs?: number;
}

/** Follows the budgets of the keys that were charged last. Windows turn without a charge, so it reads the store. */
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
    // Without the store, what was shown stays; other metrics report that it is away.
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
      for (const [longestAgo] of followed) {
        followed.delete(longestAgo);
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
