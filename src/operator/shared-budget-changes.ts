import { BUDGET_WINDOWS, type BudgetLimits } from '../budget-windows.ts';
import type { BudgetMatch, StoredBudget } from '../pipeline/exchange.ts';
import type { LimitChanges } from '../checks/budget/store.ts';
import { budgetMatch, budgetName } from '../config/sections/budgets.ts';
import { hasBudget } from '../redis/budget-limits.ts';
import { MAX_STORED_BUDGETS, type SharedBudgetStore } from '../shared-budgets/store.ts';
import { ChangeRefused, type Changed } from './changed.ts';
import { limitsUsd } from './limits-usd.ts';

export interface SharedBudgetChange {
  /** Defaults to a name derived from the conditions. */
  readonly name?: string | undefined;
  /** Undefined keeps the conditions of the budget `name`. */
  readonly match?: BudgetMatch | undefined;
  readonly limits: LimitChanges;
}

export interface SharedBudgetSet {
  readonly budget: StoredBudget;
  /** `removed` means that no limit is left. */
  readonly change: 'created' | 'changed' | 'removed';
}

export interface SharedBudgetChangesOptions {
  readonly sharedBudgets: SharedBudgetStore;
  /** Names of budgets in gateway.yaml. */
  readonly configuredBudgets: readonly string[];
}

/** Limits the size of a budget, because every gateway reads all budgets after a change. */
const MAX_MATCH_CHARS = 10_000;
/** Number of attempts if others change the budget at the same time. */
const ATTEMPTS = 5;

/** @throws ChangeRefused */
export async function setSharedBudget(
  { sharedBudgets, configuredBudgets }: SharedBudgetChangesOptions,
  change: SharedBudgetChange,
): Promise<Changed<SharedBudgetSet>> {
  const name = change.name ?? nameOf(change.match ?? {});
  if (configuredBudgets.includes(name)) {
    throw new ChangeRefused(
      `the budget ${name} is in gateway.yaml: change it there, or choose another --name`,
    );
  }
  if (JSON.stringify(change.match ?? {}).length > MAX_MATCH_CHARS) {
    throw new ChangeRefused(`the conditions have more than ${String(MAX_MATCH_CHARS)} characters: use globs`);
  }
  assertReadable(name, change.match);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { text, budget: before } = await sharedBudgets.read(name);
    if (text !== '' && before === undefined) assertWhole(name, change);
    const budget = changed(name, before, change);
    const isKept = hasBudget(budget.limits);
    const outcome = await sharedBudgets.replace(name, text, isKept ? budget : undefined);
    if (outcome === 'full') {
      throw new ChangeRefused(
        `there are already ${String(MAX_STORED_BUDGETS)} shared budgets: remove one first`,
      );
    }
    if (outcome === 'set') return recorded(budget, before, isKept);
  }
  throw new ChangeRefused(`the budget ${name} was changed at the same time: try again`);
}

/** Gateways refuse all requests while a stored budget is unreadable. */
function assertReadable(name: string, match: BudgetMatch | undefined): void {
  const refusal = budgetName.safeParse(name).error ?? budgetMatch.optional().safeParse(match).error;
  const issue = refusal?.issues[0];
  if (issue === undefined) return;
  const place = issue.path.length === 0 ? 'the name' : issue.path.join('.');
  throw new ChangeRefused(`${place}: ${issue.message}`);
}

/** A damaged budget must be set again, with conditions and limits. */
function assertWhole(name: string, { match, limits }: SharedBudgetChange): void {
  if (match === undefined || !hasBudget(withChanges({}, limits)))
    throw new ChangeRefused(
      `the stored budget ${name} is damaged: set it again with its conditions and limits`,
    );
}

function recorded(
  budget: StoredBudget,
  before: StoredBudget | undefined,
  isKept: boolean,
): Changed<SharedBudgetSet> {
  const { name, match, limits } = budget;
  const fields = { budget: name, match, limits_usd: limitsUsd(limits) };
  const activity = isKept ? (before === undefined ? 'create' : 'update') : 'delete';
  const change = isKept ? (before === undefined ? 'created' : 'changed') : 'removed';
  return { result: { budget, change }, record: { activity, operation: 'budget set', fields } };
}

function changed(
  name: string,
  before: StoredBudget | undefined,
  { match, limits, name: given }: SharedBudgetChange,
): StoredBudget {
  const current = withChanges(before?.limits ?? {}, limits);
  if (before === undefined) {
    if (match === undefined) {
      throw new ChangeRefused(
        `unknown budget ${name}: to create it, give its conditions, for example --tag team=search or --all`,
      );
    }
    if (!hasBudget(current)) throw new ChangeRefused(`unknown budget ${name}: there is no limit to remove`);
    return { name, match, limits: current };
  }
  if (match !== undefined && given === undefined && !isSame(match, before.match)) {
    throw new ChangeRefused(`the name ${name} belongs to a budget with other conditions: choose a --name`);
  }
  return { name, match: match ?? before.match, limits: current };
}

function withChanges(limits: BudgetLimits, changes: LimitChanges): BudgetLimits {
  return Object.fromEntries(
    BUDGET_WINDOWS.flatMap((window) => {
      const change = changes[window];
      const limit = change === undefined ? limits[window] : change;
      return typeof limit === 'number' ? [[window, limit]] : [];
    }),
  );
}

function isSame(one: BudgetMatch, other: BudgetMatch): boolean {
  return conditionsOf(one).join('\n') === conditionsOf(other).join('\n');
}

const NO_CONDITION = 'everything';
const MAX_NAME_CHARS = 64;

/** Returns a name such as `team-search` for the tag `team=search`, or `model-gpt-5-pro` for the models `gpt-5-pro*`. */
function nameOf(match: BudgetMatch): string {
  const name = conditionsOf(match)
    .map((condition) => condition.replaceAll(/[^A-Za-z0-9._]{1,512}/g, '-').replace(/-$/, ''))
    .join('-')
    .slice(0, MAX_NAME_CHARS);
  return name === '' ? NO_CONDITION : name;
}

function conditionsOf({ owners, tags, providers, models, mcp_servers }: BudgetMatch): string[] {
  return [
    ...(owners ?? []).map((owner) => `owner ${owner}`),
    ...Object.entries(tags ?? {}).map(([tag, value]) => `${tag} ${value}`),
    ...(providers ?? []).map((provider) => `provider ${provider}`),
    ...(models ?? []).map((model) => `model ${model}`),
    ...(mcp_servers ?? []).map((server) => `mcp ${server}`),
  ].sort();
}
