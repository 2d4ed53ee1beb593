import type { BudgetStore, Operation, SettleResult, Settlement } from './store.ts';

export interface LeasesOptions {
  readonly store: BudgetStore;
  /** A lease is renewed when it is this old; a third of its length leaves room for two failures. */
  readonly renewAfterMs: number;
  /** Told of every failed renewal and settlement. */
  readonly onFailure: (cause: unknown) => void;
}

/** A settlement that failed, and whom to tell when it has been made. */
interface Pending {
  readonly settlement: Settlement;
  readonly onSettled: (result: SettleResult) => void;
  readonly since: number;
}

/** Keeps the reservations of running exchanges alive, and makes good settlements that Redis did not take. */
export interface Leases {
  /** Renews this reservation until it is let go. */
  hold(operation: Operation): void;
  letGo(operationId: string): void;
  /** Repeats a settlement in the background until Redis takes it. */
  settleLater(settlement: Omit<Settlement, 'repeated'>, onSettled?: (result: SettleResult) => void): void;
  /** Makes a last attempt at what is pending, and stops. */
  close(): Promise<void>;
}

const OPERATIONS_PER_CALL = 200;
const SETTLEMENTS_PER_ROUND = 500;
/** Beyond it the oldest are dropped: their leases run out and are charged in full. */
const MAX_PENDING = 20_000;
/** Redis remembers a hold whose lease ran out for an hour; later than this a repair would find nothing. */
const GIVE_UP_MS = 3_000_000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;

export function createLeases({ store, renewAfterMs, onFailure }: LeasesOptions): Leases {
  const held = new Map<string, { readonly operation: Operation; renewedAt: number }>();
  let pending: Pending[] = [];
  let retryTimer: NodeJS.Timeout | undefined;
  let retryMs = FIRST_RETRY_MS;
  let closed = false;

  const renewTimer = setInterval(() => void renewDue(), renewAfterMs / 2);
  renewTimer.unref();

  /** All keys at once: the client sends what is asked for in one turn as one pipeline. */
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

  async function settlePending(): Promise<void> {
    retryTimer = undefined;
    const oldest = performance.now() - GIVE_UP_MS;
    const batch = pending.splice(0, SETTLEMENTS_PER_ROUND).filter(({ since }) => since > oldest);
    const failed = await Promise.all(batch.map(settleAgain));
    const again = batch.filter((_item, index) => failed[index] === true);
    pending = [...again, ...pending];
    retryMs = again.length === 0 ? FIRST_RETRY_MS : Math.min(retryMs * 2, LAST_RETRY_MS);
    scheduleRetry();
  }

  async function settleAgain({ settlement, onSettled }: Pending): Promise<boolean> {
    try {
      onSettled(await store.settle(settlement));
      return false;
    } catch (cause) {
      onFailure(cause);
      return true;
    }
  }

  function scheduleRetry(): void {
    if (pending.length > 0 && retryTimer === undefined && !closed) {
      retryTimer = setTimeout(() => void settlePending(), retryMs);
      retryTimer.unref();
    }
  }

  return {
    hold(operation) {
      held.set(operation.operationId, { operation, renewedAt: performance.now() });
    },
    letGo(operationId) {
      held.delete(operationId);
    },
    settleLater(settlement, onSettled = () => undefined) {
      if (pending.length >= MAX_PENDING) {
        pending.shift();
      }
      pending.push({ settlement: { ...settlement, repeated: true }, onSettled, since: performance.now() });
      scheduleRetry();
    },
    async close() {
      closed = true;
      clearInterval(renewTimer);
      clearTimeout(retryTimer);
      while (pending.length > 0) {
        const before = pending.length;
        await settlePending();
        if (pending.length === before) {
          return;
        }
      }
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
