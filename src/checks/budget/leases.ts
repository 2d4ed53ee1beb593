import { createRetryQueue } from '../../redis/retry-queue.ts';
import type { BudgetStore, BudgetOperation, SettleResult, Settlement } from './store.ts';

export interface LeasesOptions {
  readonly store: BudgetStore;
  /** Lease age at renewal. With a third of the lease duration, two renewals may fail. */
  readonly renewAfterMs: number;
  readonly onFailure: (cause: unknown) => void;
}

interface FailedSettlement {
  readonly settlement: Settlement;
  readonly onSettled: (result: SettleResult) => void;
}

/** Renews reservations of running exchanges, and retries failed settlements. */
export interface Leases {
  hold(operation: BudgetOperation): void;
  letGo(operationId: string): void;
  settleLater(settlement: Omit<Settlement, 'repeated'>, onSettled?: (result: SettleResult) => void): void;
  close(): Promise<void>;
}

const OPERATIONS_PER_CALL = 200;
/** Less than the hour for which Redis accepts late settlements. After that, the full reservation stays charged. */
const GIVE_UP_MS = 3_000_000;

export function createLeases({ store, renewAfterMs, onFailure }: LeasesOptions): Leases {
  const held = new Map<string, { readonly operation: BudgetOperation; renewedAt: number }>();
  const failed = createRetryQueue<FailedSettlement>({
    attempt: async ({ settlement, onSettled }) => onSettled(await store.settle(settlement)),
    onFailure,
    giveUpMs: GIVE_UP_MS,
  });

  const renewTimer = setInterval(() => void renewDue(), renewAfterMs / 2);
  renewTimer.unref();

  async function renewDue(): Promise<void> {
    const now = performance.now();
    const due = Map.groupBy(
      [...held.values()].filter(({ renewedAt }) => now - renewedAt >= renewAfterMs),
      ({ operation }) => operation.keyHash,
    );
    await Promise.all(
      [...due].flatMap(([keyHash, entries]) =>
        chunks(entries, OPERATIONS_PER_CALL).map(async (chunk) => {
          try {
            await store.renew(
              keyHash,
              chunk.map(({ operation }) => operation.operationId),
            );
            chunk.forEach((entry) => (entry.renewedAt = now));
          } catch (cause) {
            onFailure(cause);
          }
        }),
      ),
    );
  }

  return {
    hold(operation) {
      held.set(operation.operationId, { operation, renewedAt: performance.now() });
    },
    letGo(operationId) {
      held.delete(operationId);
    },
    settleLater(settlement, onSettled = () => undefined) {
      failed.giveLater({ settlement: { ...settlement, repeated: true }, onSettled });
    },
    async close() {
      clearInterval(renewTimer);
      await failed.close();
    },
  };
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < items.length; at += size) {
    parts.push(items.slice(at, at + size));
  }
  return parts;
}
