import { createRedisBudgetStore } from '../../src/checks/budget/redis-store.ts';
import { windowAccounts } from '../../src/checks/budget/accounts.ts';
import type { RedisClient } from '../../src/redis/client.ts';

/** The gateway's lease for a reservation. */
export const LEASE_MS = 30_000;

/** A key's account of this month, in nano-USD. */
export interface AccountNow {
  readonly spent: number;
  readonly reserved: number;
}

/** Reads it as of `afterMs` from now; reservations with a lease that has expired by then are charged by this. */
export async function readAccount(
  redis: { readonly client: RedisClient },
  keyHash: string,
  afterMs = 0,
): Promise<AccountNow> {
  const store = createRedisBudgetStore({
    client: redis.client,
    deadlineMs: 10_000,
    alertPercents: [],
    ...(afterMs === 0 ? {} : { now: () => Date.now() + afterMs }),
  });
  const month = (await store.status(keyHash, windowAccounts({}))).at(-1);
  return { spent: month?.spentNanoUsd ?? -1, reserved: month?.reservedNanoUsd ?? -1 };
}
