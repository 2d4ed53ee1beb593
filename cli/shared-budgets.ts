import { Option, type Command } from 'commander';

import { windowJson } from '../src/checks/budget/status-json.ts';
import type { LimitChanges } from '../src/checks/budget/store.ts';
import { limitsUsd } from '../src/operator/limits-usd.ts';
import { readSharedBudgets } from '../src/operator/views/shared-budgets.ts';
import type { BudgetMatch } from '../src/pipeline/exchange.ts';
import { PROVIDER_NAMES, type ProviderName } from '../src/providers/registry.ts';
import { windowTables } from './budget-view.ts';
import { UsageError, type Call } from './command.ts';
import { gatewaySettings, onGateway } from './on-gateway.ts';
import { auditChange } from './operator-change.ts';
import { print, printable, type OutputOptions } from './output.ts';

export interface MatchOptions {
  readonly name?: string;
  readonly all?: boolean;
  readonly owner?: readonly string[];
  readonly tag?: Readonly<Record<string, string>>;
  readonly provider?: readonly ProviderName[];
  readonly model?: readonly string[];
  readonly mcpServer?: readonly string[];
}

export function withMatch(command: Command): Command {
  const list = (flag: string, description: string): Option =>
    new Option(flag, description).argParser((text: string, before: readonly string[] = []) => [
      ...before,
      text,
    ]);
  return command
    .option('--name <name>', 'name of the shared budget (default: derived from its conditions)')
    .option('--all', 'shared budget for all requests')
    .addOption(list('--owner <glob>', 'shared budget for keys of this owner; can be repeated'))
    .option('--tag <key=glob>', 'shared budget for keys with this tag; if repeated, with all these tags', tag)
    .option('--provider <name>', 'shared budget for requests to this provider; can be repeated', provider)
    .addOption(list('--model <glob>', 'shared budget for requests to this model; can be repeated'))
    .addOption(list('--mcp-server <name>', 'shared budget for calls to this MCP server; can be repeated'));
}

function tag(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const equals = text.indexOf('=');
  if (equals < 1 || equals === text.length - 1)
    throw new UsageError('--tag must be key=value, such as team=search');
  const name = text.slice(0, equals);
  // Schemas drop `__proto__`, and a budget without conditions would apply to every request.
  if (name === '__proto__') throw new UsageError('--tag: __proto__ is not a valid tag name');
  return { ...before, [name]: text.slice(equals + 1) };
}

function provider(text: string, before: readonly ProviderName[] = []): ProviderName[] {
  const found = PROVIDER_NAMES.find((name) => name === text);
  if (found === undefined) {
    throw new UsageError(`--provider: ${printable(text)} is not one of ${PROVIDER_NAMES.join(', ')}`);
  }
  return [...before, found];
}

/** Returns the conditions (empty for `--all`), or undefined without any of these flags. */
function matchOf({
  all,
  owner,
  tag: tags,
  provider: providers,
  model,
  mcpServer,
}: MatchOptions): BudgetMatch | undefined {
  const match: BudgetMatch = {
    ...(owner !== undefined && { owners: owner }),
    ...(tags !== undefined && { tags }),
    ...(providers !== undefined && { providers }),
    ...(model !== undefined && { models: model }),
    ...(mcpServer !== undefined && { mcp_servers: mcpServer }),
  };
  const isEmpty = Object.keys(match).length === 0;
  if (all === true && !isEmpty)
    throw new UsageError('--all cannot be combined with conditions. Remove --all or the conditions');
  return isEmpty && all !== true ? undefined : match;
}

export function isShared(options: MatchOptions): boolean {
  return options.name !== undefined || matchOf(options) !== undefined;
}

export async function setShared(
  call: Call,
  options: MatchOptions & OutputOptions,
  limits: LimitChanges,
): Promise<void> {
  const set = await onGateway(call, ({ changes }) =>
    changes.setSharedBudget({ name: options.name, match: matchOf(options), limits }),
  );
  const { budget, change } = set.result;
  const json = { name: budget.name, match: budget.match, limits_usd: limitsUsd(budget.limits), change };
  print(call, json, () => {
    const subject = `The budget ${budget.name} (${matchText(budget.match)})`;
    if (change === 'removed') return `${subject} was removed: it has no limit left.`;
    const windows = Object.entries(limitsUsd(budget.limits)).filter(([, usd]) => usd !== null);
    return `${subject}: ${windows.map(([window, usd]) => `${window} ${String(usd)} USD`).join(', ')}.`;
  });
  await auditChange(call, set.record);
}

export async function listShared(call: Call): Promise<void> {
  const { sharedBudgets } = await gatewaySettings(call);
  const { shown, now } = await onGateway(call, async (operations) => ({
    shown: await readSharedBudgets(operations, sharedBudgets),
    now: await operations.readClock(),
  }));
  const json = {
    budgets: shown.map(({ name, match, source, windows }) => ({
      name,
      match,
      source,
      windows: windows.map((window) => windowJson(window, now)),
    })),
  };
  print(call, json, () =>
    shown.length === 0
      ? 'There are no shared budgets. Set one: gateway budget set --tag team=search --daily 50'
      : windowTables(
          shown.map(({ name, match, windows }) => ({ title: `${name}  ${matchText(match)}`, windows })),
          call,
          now,
        ),
  );
}

function matchText(match: BudgetMatch): string {
  const conditions = Object.entries(match).map(
    ([condition, values]) => `${condition} ${JSON.stringify(values)}`,
  );
  return printable(conditions.length === 0 ? 'every request' : conditions.join(', '));
}
