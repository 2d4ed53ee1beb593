import { randomUUID } from 'node:crypto';
import { SESSION_ACCOUNT } from '../../src/checks/budget/accounts.ts';
import { createRedisBudgetStore } from '../../src/checks/budget/redis-store.ts';
import type { Account } from '../../src/checks/budget/store.ts';
import type { SessionName } from '../../src/conversation/session-name.ts';
import { holdKey } from '../../src/redis/keys.ts';
import type { RedisClient } from '../../src/redis/client.ts';

/** Charges a session like the budget check, with a call of this cost, and leaves only the charge. */
export async function spendInSession(
  client: RedisClient,
  { keyHash, sessionId }: SessionName,
  costNanoUsd: number,
): Promise<void> {
  const store = createRedisBudgetStore({ client, deadlineMs: 5_000, alertPercents: [] });
  const account: Account = {
    name: SESSION_ACCOUNT,
    ledger: `session:${sessionId}`,
    calendar: 'none',
    limitNanoUsd: undefined,
    idleMs: 60_000,
  };
  const operation = { keyHash, operationId: randomUUID(), accounts: [account] };
  const nothing = {
    inputNanoUsd: 0,
    outputNanoUsd: 0,
    outputTokens: 0,
    maxGrantTokens: 1,
    minGrantTokens: 1,
  };
  await store.reserve({ ...operation, ...nothing, lowestTokens: undefined });
  await store.settle({ ...operation, costNanoUsd, repeated: false });
  await client.del(holdKey(keyHash, operation.operationId));
}
