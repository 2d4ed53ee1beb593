import * as z from 'zod';
import { BUDGET_WINDOWS, byWindow } from '../../budget-windows.ts';
import { PROVIDER_NAMES } from '../../providers/registry.ts';
import { MAX_LIMIT_USD } from '../../redis/budget-limits.ts';
import { duration, section, type Settings } from '../fields.ts';

const name = z.string().min(1).max(256);
const names = z.array(name).min(1).max(1_000).optional();
const limit = z.number().min(0).max(MAX_LIMIT_USD).optional();

const timeZone = z.string().refine(isTimeZone, { error: 'must be an IANA time zone such as Europe/Vienna' });

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Conditions of `budgets[].match`, and of budgets set by command. */
export const budgetMatch = section({
  owners: names.describe('Owners of keys (`keys create --owner`), as globs.'),
  tags: z
    .record(name, name)
    .optional()
    .describe('Tags that a key must have; all must match. Values are globs.'),
  claims: z
    .record(name, name)
    .optional()
    .describe(
      'Claims that the JWT must have; all must match. Values are globs, which must match one item if the claim is a list. Needs `zsp.jwt_only`.',
    ),
  providers: z.array(z.enum(PROVIDER_NAMES)).min(1).optional().describe('Requested providers.'),
  models: names.describe('Requested models, as globs.'),
  mcp_servers: names.describe('MCP servers whose tools are called, by their names in `mcp.servers`.'),
});

export const budgetName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, { error: 'must be 1 to 64 of A-Z a-z 0-9 . _ -' });

const sharedBudget = section({
  name: budgetName.describe(
    'Name shown in refusals, headers and alerts. Redis keeps the spend under this name.',
  ),
  match: budgetMatch
    .prefault({})
    .describe('Conditions for a request to count; all must hold. `{}` matches every request.'),
  time_zone: timeZone
    .default('UTC')
    .describe('IANA time zone in which days, weeks and months begin, such as `Europe/Vienna`.'),
  ...byWindow(({ period }) => limit.describe(`USD per ${period}.`)),
}).refine((budget) => BUDGET_WINDOWS.some((window) => budget[window] !== undefined), {
  error: `must have at least one of ${BUDGET_WINDOWS.join(', ')}`,
});

/** Budgets that several keys share (docs/budgets.md). */
export const budgetsSection = z
  .array(sharedBudget)
  .max(100)
  .refine((budgets) => new Set(budgets.map((budget) => budget.name)).size === budgets.length, {
    error: 'must have different names',
  })
  .default([])
  .describe(
    'Budgets shared by several keys, for example per team or per model. A request must fit every budget that matches it.',
  );

export type SharedBudgetSettings = Settings<typeof sharedBudget>;

export const spendSection = section({
  enabled: z.boolean().default(false).describe('Record the spend of each key by day, provider and model.'),
  retention: duration('400d').describe('Retention of daily records.'),
})
  .prefault({})
  .describe('Records for `gateway spend`. See docs/spend.md.');
