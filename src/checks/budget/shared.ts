import { BUDGET_WINDOWS, type BudgetLimits } from '../../budget-windows.ts';
import type { SharedBudgetSettings } from '../../config/sections/budgets.ts';
import type { BudgetMatch, Parsed, StoredBudget } from '../../pipeline/exchange.ts';
import type { ProviderName } from '../../providers/registry.ts';
import { toNanoUsd } from '../../pricing/usd.ts';
import { globMatches } from '../../text/glob.ts';
import { windowAccounts } from './accounts.ts';
import type { Account } from './store.ts';

export interface SharedBudget {
  /** Used instead of a key hash. Gives the ledger its own Redis keys and slot. */
  readonly keyHash: string;
  readonly accounts: readonly Account[];
}

export async function sharedBudget(settings: SharedBudgetSettings): Promise<SharedBudget> {
  const { name, time_zone } = settings;
  const limits = limitsOf(settings);
  const ofShared = (account: Account): Account => ({ ...account, budget: name });
  const keyHash = `budget:${name}`;
  if (time_zone === UTC) return { keyHash, accounts: windowAccounts(limits).map(ofShared) };
  const { createZonedCalendars } = await import('./zoned-windows.ts');
  const calendars = createZonedCalendars(time_zone);
  return {
    keyHash,
    get accounts() {
      return windowAccounts(limits, calendars()).map(ofShared);
    },
  };
}

/** A configured budget of the same name has a separate ledger. */
export function storedBudget({ name, limits }: StoredBudget): SharedBudget {
  const accounts = windowAccounts(limits).map((account) => ({ ...account, budget: name }));
  return { keyHash: `shared:${name}`, accounts };
}

const UTC = 'UTC';

function limitsOf(settings: SharedBudgetSettings): BudgetLimits {
  return Object.fromEntries(
    BUDGET_WINDOWS.flatMap((window) => {
      const usd = settings[window];
      return usd === undefined ? [] : [[window, toNanoUsd(usd)]];
    }),
  );
}

/** Finds the shared budgets that cover a request, in a fixed order. `stored` budgets were set by command. */
export type FindShared = (
  exchange: Parsed,
  stored: readonly StoredBudget[] | undefined,
) => readonly SharedBudget[];

/** @param modelOf maps a deployment name to its model (`providers.azure.deployments`) */
export async function createFindShared(
  settings: readonly SharedBudgetSettings[],
  modelOf: (provider: ProviderName, name: string) => string,
): Promise<FindShared> {
  const budgets = await Promise.all(
    settings
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map(async (each) => ({ match: each.match, budget: await sharedBudget(each) })),
  );
  const made = new WeakMap<StoredBudget, SharedBudget>();

  /** Requests share the same `stored` objects until an operator changes the set. */
  function makeOnce(stored: StoredBudget): SharedBudget {
    const budget = made.get(stored) ?? storedBudget(stored);
    made.set(stored, budget);
    return budget;
  }

  return (exchange, stored) => {
    const configured = budgets
      .filter(({ match }) => matches(match, exchange, modelOf))
      .map(({ budget }) => budget);
    if (stored === undefined) return configured;
    return [...configured, ...stored.filter(({ match }) => matches(match, exchange, modelOf)).map(makeOnce)];
  };
}

function matches(
  match: BudgetMatch,
  exchange: Parsed,
  modelOf: (provider: ProviderName, name: string) => string,
): boolean {
  const { owners, tags, claims } = match;
  const { key, mcp, claims: own = {} } = exchange;
  return (
    (owners === undefined || isAny(owners, key.owner ?? '')) &&
    Object.entries(tags ?? {}).every(
      ([tag, glob]) => Object.hasOwn(key.tags, tag) && globMatches(glob, key.tags[tag] ?? ''),
    ) &&
    Object.entries(claims ?? {}).every(
      ([claim, glob]) =>
        Object.hasOwn(own, claim) && own[claim]?.some((value) => globMatches(glob, value)) === true,
    ) &&
    (mcp === undefined ? isOfModel(match, exchange, modelOf) : isOfServer(match, mcp.server))
  );
}

function isOfServer({ providers, models, mcp_servers }: BudgetMatch, server: string): boolean {
  return (
    providers === undefined &&
    models === undefined &&
    (mcp_servers === undefined || mcp_servers.includes(server))
  );
}

function isOfModel(
  { providers, models, mcp_servers }: BudgetMatch,
  { provider, request }: Parsed,
  modelOf: (provider: ProviderName, name: string) => string,
): boolean {
  return (
    mcp_servers === undefined &&
    (providers === undefined || providers.includes(provider.name)) &&
    // A request without a model may use any model.
    (models === undefined ||
      request.models.length === 0 ||
      request.models.some((name) => isModel(models, modelOf(provider.name, name))))
  );
}

/** Like some providers and price lookups, ignores case, surrounding white space and the prefix `models/`. */
function isModel(globs: readonly string[], name: string): boolean {
  const folded = name
    .trim()
    .toLowerCase()
    .replace(/^models\//, '');
  return globs.some((glob) => globMatches(glob.toLowerCase(), folded));
}

function isAny(globs: readonly string[], value: string): boolean {
  return globs.some((glob) => globMatches(glob, value));
}
