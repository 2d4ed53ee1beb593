import { newOperationId } from '../operation-id.ts';
import type { StoredBudget } from '../pipeline/exchange.ts';
import type { RedisStoreOptions } from '../redis/client.ts';
import { DEFAULT_BUDGET_KEY, SHARED_BUDGETS } from '../redis/keys.ts';
import { oneOf } from '../redis/reply.ts';
import { loadScript } from '../redis/script.ts';
import { checkForm, formField, writeVersionOf } from '../redis/stored-forms.ts';
import { withRedisDeadline } from '../redis/unavailable.ts';
import { fieldOf, readStoredBudget, readStoredBudgets, written } from './stored-form.ts';

/** Same limit as in gateway.yaml. Limits the number of ledgers per request. */
export const MAX_STORED_BUDGETS = 100;

export interface ReadBudget {
  /** Empty if the budget is absent. */
  readonly text: string;
  /** Undefined if the budget is absent or damaged. */
  readonly budget: StoredBudget | undefined;
}

/** Shared budgets set by command (docs/budgets.md). On failure, the methods throw `redis_unavailable`. */
export interface SharedBudgetStore {
  list(): Promise<readonly StoredBudget[]>;
  /** Also returns the text of a damaged budget, so that it can be replaced. */
  read(name: string): Promise<ReadBudget>;
  /** Replaces a budget if its text is still `before`. Without `after`, removes it. */
  replace(name: string, before: string, after: StoredBudget | undefined): Promise<'set' | 'changed' | 'full'>;
}

const setScript = loadScript(new URL('./set-shared-budget.lua', import.meta.url));
const setReply = oneOf('set', 'changed', 'full');

export function createSharedBudgetStore({ client, deadlineMs }: RedisStoreOptions): SharedBudgetStore {
  return {
    list: () =>
      withRedisDeadline(deadlineMs, async () => readStoredBudgets(await client.hgetall(SHARED_BUDGETS))),
    read: (name) =>
      withRedisDeadline(deadlineMs, async () => {
        const [form, text] = await client.hmget(SHARED_BUDGETS, 'form', fieldOf(name));
        checkForm('shared_budgets', form ?? undefined);
        return typeof text === 'string'
          ? { text, budget: readStoredBudget(name, text) }
          : { text: '', budget: undefined };
      }),
    replace: (name, before, after) =>
      withRedisDeadline(deadlineMs, async () => {
        const form = formField(writeVersionOf(client));
        const reply = await setScript.run(
          client,
          [DEFAULT_BUDGET_KEY, SHARED_BUDGETS],
          [
            fieldOf(name),
            before,
            after === undefined ? '' : written(after),
            newOperationId(),
            MAX_STORED_BUDGETS + (form.length > 0 ? 1 : 0),
            ...form,
          ],
        );
        return setReply(reply);
      }),
  };
}
