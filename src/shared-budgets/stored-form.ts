import * as z from 'zod';
import { BUDGET_WINDOWS } from '../budget-windows.ts';
import { budgetMatch } from '../config/sections/budgets.ts';
import type { StoredBudget } from '../pipeline/exchange.ts';
import { MAX_LIMIT_USD } from '../redis/budget-limits.ts';
import { checkForm } from '../redis/stored-forms.ts';
import { redisUnavailable } from '../redis/unavailable.ts';

/** Distinguishes budgets from the `form` field of the hash. */
const PREFIX = 'budget:';

const stored = z.strictObject({
  match: budgetMatch,
  limits: z.partialRecord(
    z.enum(BUDGET_WINDOWS),
    z
      .int()
      .min(0)
      .max(MAX_LIMIT_USD * 1e9),
  ),
});

export function fieldOf(name: string): string {
  return PREFIX + name;
}

/** Returns the value stored under `fieldOf(name)`: JSON, with limits in nano-USD. */
export function written({ match, limits }: Pick<StoredBudget, 'match' | 'limits'>): string {
  // Parsing orders the members by the schema, so a value that was read is written identically.
  return JSON.stringify(stored.parse({ match, limits }));
}

/**
 * Parses the hash of shared budgets (`HGETALL`). Returns the budgets sorted by name.
 * @throws GatewayError redis_unavailable for a damaged budget, because ignoring its limit would allow everything
 * @throws UnknownForm
 */
export function readStoredBudgets(fields: Readonly<Record<string, string>>): readonly StoredBudget[] {
  checkForm('shared_budgets', fields['form']);
  return Object.keys(fields)
    .filter((field) => field.startsWith(PREFIX))
    .sort()
    .map((field) => readOne(field.slice(PREFIX.length), fields[field] ?? ''));
}

function readOne(name: string, value: string): StoredBudget {
  const budget = readStoredBudget(name, value);
  if (budget === undefined)
    throw redisUnavailable(new Error(`the stored budget ${name} is damaged: set it again`));
  return budget;
}

export function readStoredBudget(name: string, value: string): StoredBudget | undefined {
  try {
    return { name, ...stored.parse(JSON.parse(value)) } as StoredBudget;
  } catch {
    return undefined;
  }
}
