import type { StoredBudget } from '../pipeline/exchange.ts';
import type { RedisClient } from '../redis/client.ts';
import { DEFAULT_BUDGET_KEY, SHARED_BUDGETS } from '../redis/keys.ts';
import { redisUnavailable } from '../redis/unavailable.ts';
import { readStoredBudgets } from './stored-form.ts';

/** Field of the default budget with the revision of the shared budgets. Absent without shared budgets. */
export const REVISION_FIELD = 'shared';

/**
 * Returns the shared budgets of a revision. Every request reads the revision together with the default budget, so that
 * every gateway applies a change to its next request, and unchanged budgets need no extra command.
 * @throws GatewayError redis_unavailable for missing or damaged budgets, UnknownForm, or an error of the client
 */
export type ReadSharedBudgets = (
  revision: string,
) => readonly StoredBudget[] | Promise<readonly StoredBudget[]>;

export function createSharedBudgetReader(client: RedisClient): ReadSharedBudgets {
  let known: { readonly revision: string; readonly budgets: readonly StoredBudget[] } | undefined;
  let reading: { readonly revision: string; readonly budgets: Promise<readonly StoredBudget[]> } | undefined;

  return (revision) => {
    if (known?.revision === revision) return known.budgets;
    if (reading?.revision === revision) return reading.budgets;
    const budgets = read(client).then((all) => {
      known = { revision, budgets: all };
      return all;
    });
    const own = { revision, budgets };
    reading = own;
    void budgets
      .catch(() => undefined)
      .finally(() => {
        if (reading === own) reading = undefined;
      });
    return budgets;
  };
}

async function read(client: RedisClient): Promise<readonly StoredBudget[]> {
  const fields = await client.hgetall(SHARED_BUDGETS);
  const budgets = readStoredBudgets(fields);
  if (budgets.length > 0) return budgets;
  // The last budget may have been removed in the meantime. Otherwise, limits were lost.
  if ((await client.hget(DEFAULT_BUDGET_KEY, REVISION_FIELD)) === null) return budgets;
  throw redisUnavailable(new Error('the shared budgets are missing in Redis: set them again'));
}
