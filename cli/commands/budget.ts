import { Option, type Command } from 'commander';

import type { KeyRecord } from '../../src/auth/key-record.ts';
import {
  BUDGET_WINDOW,
  BUDGET_WINDOWS,
  type BudgetLimits,
  type BudgetWindow,
} from '../../src/budget-windows.ts';
import { windowAccounts } from '../../src/checks/budget/accounts.ts';
import { usedPercent, windowJson } from '../../src/checks/budget/status-json.ts';
import type { LimitChanges } from '../../src/checks/budget/store.ts';
import { limitsUsd } from '../../src/operator/limits-usd.ts';
import type { Operations } from '../../src/operator/operations.ts';
import { formatUsd, toNanoUsd } from '../../src/pricing/usd.ts';
import { effectiveLimits, hasBudget, MAX_LIMIT_USD } from '../../src/redis/budget-limits.ts';
import { byUse, statusTable, type KeyBudget } from '../budget-view.ts';
import { UsageError, withCall, type Call, type Io } from '../command.ts';
import { listedActive, listedKeys, withRecords } from '../key-rows.ts';
import { reportOmitted, withList, type ListOptions } from '../listed.ts';
import { onGateway } from '../on-gateway.ts';
import { auditChange, withOperator } from '../operator-change.ts';
import { print, printable, withOutput, type OutputOptions } from '../output.ts';
import { isShared, listShared, setShared, withMatch, type MatchOptions } from '../shared-budgets.ts';

type SetOptions = OutputOptions & MatchOptions & { readonly [Window in BudgetWindow]?: Limit };

/** In nano-USD; `none` means no limit. Not null, because Commander treats a parsed null as a missing value. */
type Limit = number | 'none';

type StatusOptions = OutputOptions & ListOptions & { readonly over?: number };

const BUDGET_LIST = withRecords<KeyBudget>({
  fields: { budget: ({ source }) => source },
  orders: { used: byUse },
});

const NUMBER = /^(?:\d+(?:\.\d*)?|\.\d+)$/;

/** Adds `gateway budget …`, which sets limits and shows spend (docs/budgets.md). */
export function registerBudget(program: Command, io: Io): void {
  const budget = program.command('budget').description('set limits and show spend');
  const set = withOperator(budget.command('set'))
    .argument('[key]', 'name or hash of a key (default: all keys without their own limits)')
    .description(
      'set limits in USD for a key, for keys without their own, or for a shared budget; 0 blocks, none removes a limit',
    );
  for (const window of BUDGET_WINDOWS) {
    const { period, isLocal } = BUDGET_WINDOW[window];
    const help = `limit per ${period}${isLocal ? ' (UTC)' : ''}`;
    set.option(`--${window} <usd>`, help, (text: string) => limit(window, text));
  }
  withOutput(withMatch(set)).action(withCall(io, setBudget));
  const status = budget
    .command('status')
    .argument('[key]', 'name or hash of a key (default: all keys, the most used budget first)')
    .description('show what was spent, what is left and when each window resets')
    .addOption(
      new Option('--over <percent>', 'only keys that have used at least this share of a limit').argParser(
        percent,
      ),
    );
  withOutput(budget.command('list').description('show shared budgets and their spend')).action(
    withCall(io, listShared),
  );
  withOutput(withList(status, BUDGET_LIST)).action(withCall(io, showStatus));
}

/** Parses `80` or `80%`. */
function percent(text: string): number {
  const digits = text.replace(/%$/, '');
  if (!NUMBER.test(digits)) throw new UsageError('--over must be a percentage, for example: --over 80');
  return Number(digits);
}

/** Parses `2.5`, `0` or `none`. */
function limit(window: BudgetWindow, text: string): Limit {
  if (text === 'none') return text;
  const usd = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!(usd <= MAX_LIMIT_USD)) {
    throw new UsageError(
      `--${window} must be an amount in USD from 0 to ${String(MAX_LIMIT_USD)}, or none. For example: --${window} 2.50`,
    );
  }
  return toNanoUsd(usd);
}

async function setBudget(call: Call, reference: string | undefined, options: SetOptions): Promise<void> {
  const changes: LimitChanges = Object.fromEntries(
    BUDGET_WINDOWS.flatMap((window) => {
      const value = options[window];
      return value === undefined ? [] : [[window, value === 'none' ? null : value]];
    }),
  );
  if (Object.keys(changes).length === 0) {
    throw new UsageError(
      `no limit given. Use at least one of ${BUDGET_WINDOWS.map((window) => `--${window}`).join(', ')}, for example: --daily 5`,
    );
  }
  if (isShared(options)) {
    if (reference !== undefined) {
      throw new UsageError(
        'a budget applies to one key or is shared: remove the key, or remove --name and the conditions',
      );
    }
    await setShared(call, options, changes);
    return;
  }
  const set = await onGateway(call, (operations) =>
    operations.changes.setBudget({ reference, limits: changes }),
  );
  const { record, limits } = set.result;
  const json = {
    key_hash: record?.keyHash ?? null,
    ...(record === undefined ? {} : { name: record.name }),
    limits_usd: limitsUsd(limits),
  };
  print(call, json, () => {
    const subject = record === undefined ? 'The default budget' : `The budget of ${printable(record.name)}`;
    const windows = BUDGET_WINDOWS.flatMap((window) => {
      const nanoUsd = limits[window];
      return nanoUsd === undefined ? [] : [`${window} ${formatUsd(nanoUsd)} USD`];
    });
    return `${subject}: ${windows.length === 0 ? 'no limits' : windows.join(', ')}.`;
  });
  await auditChange(call, set.record);
}

async function showStatus(
  call: Call,
  reference: string | undefined,
  { over = 0, ...options }: StatusOptions,
): Promise<void> {
  const { fallback, found, now } = await onGateway(call, async (operations) => {
    const defaults = await operations.budgets.getLimits(undefined);
    const read = (record: KeyRecord): Promise<KeyBudget> => keyBudget(operations, record, defaults);
    const isOver = ({ windows }: KeyBudget): boolean => usedPercent(windows) >= over;
    const where = over > 0 ? isOver : undefined;
    const only = reference === undefined ? undefined : { rows: [await operations.keys.find(reference)] };
    // With a default budget of 0, the budget of every key without its own counts as used up.
    const isByUse = options.sort === 'used' && only === undefined && !Object.values(defaults).includes(0);
    const shown = isByUse
      ? await listedActive(operations, call, BUDGET_LIST, options, {
          ...{ active: { usedSince: 'spend', marked: true }, isWhole: over > 0 },
          ...{ read, where },
        })
      : await listedKeys(operations, call, BUDGET_LIST, options, { only, read, where });
    return { fallback: defaults, found: shown, now: await operations.readClock() };
  });
  reportOmitted(call, found);
  const { rows: budgets, total } = found;
  const json = {
    default_limits_usd: limitsUsd(fallback),
    keys: budgets.map(({ record, source, windows }) => ({
      key_hash: record.keyHash,
      name: record.name,
      budget: source,
      windows: windows.map((window) => windowJson(window, now)),
    })),
    total: total ?? null,
  };
  print(call, json, () =>
    budgets.length === 0 ? noBudgets(over, options) : statusTable(budgets, call, now),
  );
}

async function keyBudget(
  { budgets }: Operations,
  record: KeyRecord,
  fallback: BudgetLimits,
): Promise<KeyBudget> {
  const own = await budgets.getLimits(record.keyHash);
  const limits = effectiveLimits(own, fallback);
  const windows = await budgets.status(record.keyHash, windowAccounts(limits));
  const source = hasBudget(own) ? 'own' : hasBudget(fallback) ? 'default' : 'none';
  return { record, source, windows };
}

function noBudgets(over: number, { filter }: ListOptions): string {
  if (filter !== undefined) return 'No key matches.';
  if (over > 0) return `No key has used ${String(over)} % of a limit.`;
  return 'No keys yet. Create one: gateway keys create --name planner --provider openai';
}
