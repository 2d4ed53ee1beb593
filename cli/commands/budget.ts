import type { Command } from 'commander';
import type { KeyRecord } from '../../src/auth/key-record.ts';
import type { AccountStatus, LimitChanges } from '../../src/checks/budget/store.ts';
import { windowAccounts } from '../../src/checks/budget/accounts.ts';
import type { Operations } from '../../src/operate.ts';
import type { BudgetLimits } from '../../src/pipeline/exchange.ts';
import { formatUsd, toNanoUsd } from '../../src/pricing/usd.ts';
import {
  BUDGET_WINDOWS,
  effectiveLimits,
  hasBudget,
  MAX_LIMIT_USD,
  type BudgetWindow,
} from '../../src/redis/budget-limits.ts';
import { UsageError, type Io } from '../command.ts';
import { auditChange } from '../operator-change.ts';
import { shortTime } from '../key-view.ts';
import {
  painter,
  print,
  printable,
  table,
  withOutput,
  type OutputFormat,
  type OutputOptions,
} from '../output.ts';
import { allKeys, onRedis } from '../on-redis.ts';

type SetOptions = OutputOptions & { readonly [Window in BudgetWindow]?: Limit };

/** Nano-USD. (Commander takes a parsed null for a missing value.) */
type Limit = number | 'none';

interface KeyBudget {
  readonly record: KeyRecord;
  readonly source: 'own' | 'default' | 'none';
  readonly windows: readonly AccountStatus[];
}

const BAR_CELLS = 20;
const MINUTE_MS = 60_000;
const NUMBER = /^(?:\d+(?:\.\d*)?|\.\d+)$/;

/** `gateway budget …`: limits and spend (docs/budgets.md). */
export function registerBudget(program: Command, io: Io): void {
  const budget = program.command('budget').description('set limits, and show what was spent');
  const set = budget
    .command('set [key]')
    .description(
      'set limits in USD: 0 blocks, none removes a limit. Without a key: the default budget, ' +
        'which applies to each key with no limit of its own',
    );
  for (const window of BUDGET_WINDOWS) {
    set.option(`--${window} <usd>`, `limit of the ${window} window`, (written: string) =>
      limit(window, written),
    );
  }
  withOutput(set).action((reference: string | undefined, options: SetOptions, command: Command) =>
    setBudget(command, io, reference, options),
  );
  withOutput(
    budget
      .command('status [key]')
      .description('show limit, spent, reserved, remaining and reset time of each window'),
  ).action((reference: string | undefined, options: OutputOptions, command: Command) =>
    showStatus(command, io, reference, options.output),
  );
}

/** `2.5`, `0` or `none`. */
function limit(window: BudgetWindow, written: string): Limit {
  if (written === 'none') return written;
  const usd = NUMBER.test(written) ? Number(written) : Number.NaN;
  if (!(usd <= MAX_LIMIT_USD)) {
    throw new UsageError(`--${window}: an amount in USD from 0 to ${String(MAX_LIMIT_USD)}, or none`);
  }
  return toNanoUsd(usd);
}

async function setBudget(
  command: Command,
  io: Io,
  reference: string | undefined,
  options: SetOptions,
): Promise<void> {
  const changes: LimitChanges = Object.fromEntries(
    BUDGET_WINDOWS.flatMap((window) => {
      const wanted = options[window];
      return wanted === undefined ? [] : [[window, wanted === 'none' ? null : wanted]];
    }),
  );
  if (Object.keys(changes).length === 0) {
    throw new UsageError(`name at least one of ${BUDGET_WINDOWS.map((window) => `--${window}`).join(', ')}`);
  }
  const { record, limits } = await onRedis(command, io, async ({ keys, budgets }) => {
    const found = reference === undefined ? undefined : await keys.find(reference);
    await budgets.setLimits(found?.keyHash, changes);
    return { record: found, limits: await budgets.getLimits(found?.keyHash) };
  });
  const json = {
    key_hash: record?.keyHash ?? null,
    ...(record === undefined ? {} : { name: record.name }),
    limits_usd: limitsUsd(limits),
  };
  print(io, options.output, json, () => {
    const whose = record === undefined ? 'The default budget' : `The budget of ${printable(record.name)}`;
    const windows = BUDGET_WINDOWS.flatMap((window) => {
      const nanoUsd = limits[window];
      return nanoUsd === undefined ? [] : [`${window} ${formatUsd(nanoUsd)} USD`];
    });
    return `${whose}: ${windows.length === 0 ? 'no limits' : windows.join(', ')}.`;
  });
  const fields = { limits_usd: json.limits_usd };
  await auditChange(command, io, { activity: 'update', operation: 'budget set', key: record, fields });
}

async function showStatus(
  command: Command,
  io: Io,
  reference: string | undefined,
  output: OutputFormat,
): Promise<void> {
  const { fallback, budgets, now } = await onRedis(command, io, async (operations) => {
    const defaults = await operations.budgets.getLimits(undefined);
    const records = reference === undefined ? allKeys(operations) : [await operations.keys.find(reference)];
    const found: KeyBudget[] = [];
    for await (const record of records) {
      found.push(await keyBudget(operations, record, defaults));
    }
    return { fallback: defaults, budgets: found, now: await operations.readClock() };
  });
  const json = {
    default_limits_usd: limitsUsd(fallback),
    keys: budgets.map(({ record, source, windows }) => ({
      key_hash: record.keyHash,
      name: record.name,
      budget: source,
      windows: windows.map((window) => windowJson(window, now)),
    })),
  };
  print(io, output, json, () => statusTable(budgets, io, now));
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

function limitsUsd(limits: BudgetLimits): Record<string, number | null> {
  return Object.fromEntries(BUDGET_WINDOWS.map((window) => [window, usd(limits[window])]));
}

function windowJson(status: AccountStatus, now: number) {
  const { account, spentNanoUsd, reservedNanoUsd, resetMs } = status;
  return {
    window: account.name,
    limit_usd: usd(account.limitNanoUsd),
    spent_usd: usd(spentNanoUsd),
    reserved_usd: usd(reservedNanoUsd),
    remaining_usd: usd(remaining(status)),
    resets_at: resetMs === undefined ? null : new Date(turnOf(now, resetMs)).toISOString(),
  };
}

function usd(nanoUsd: number | undefined): number | null {
  return nanoUsd === undefined ? null : nanoUsd / 1e9;
}

/** Every window turns at a whole minute: neither the way from Redis nor its clock may make midnight 23:59. */
function turnOf(now: number, resetMs: number): number {
  return Math.round((now + resetMs) / MINUTE_MS) * MINUTE_MS;
}

function remaining({ account, spentNanoUsd, reservedNanoUsd }: AccountStatus): number | undefined {
  return account.limitNanoUsd === undefined
    ? undefined
    : Math.max(0, account.limitNanoUsd - spentNanoUsd - reservedNanoUsd);
}

function statusTable(budgets: readonly KeyBudget[], io: Io, now: number): string {
  const paint = painter(io);
  if (budgets.length === 0) return 'There are no keys yet.';
  const bars = io.stdout.isTTY === true;
  const headings = [
    'WINDOW',
    'LIMIT',
    'SPENT',
    'RESERVED',
    'REMAINING',
    'RESETS (UTC)',
    ...(bars ? ['USED'] : []),
  ];
  return budgets
    .map(({ record, source, windows }) => {
      const title = `${printable(record.name)}  ${paint('dim', `${record.keyHash}  ${sourceText(source)}`)}`;
      const rows = windows.map((window) => [
        window.account.name,
        amount(window.account.limitNanoUsd),
        amount(window.spentNanoUsd),
        amount(window.reservedNanoUsd),
        amount(remaining(window)),
        window.resetMs === undefined ? '-' : shortTime(turnOf(now, window.resetMs)),
        ...(bars ? [bar(window)] : []),
      ]);
      return `${title}\n${indented(table(headings, rows, paint))}`;
    })
    .join('\n\n');
}

function sourceText(source: KeyBudget['source']): string {
  return { own: 'own budget', default: 'default budget', none: 'no budget' }[source];
}

function amount(nanoUsd: number | undefined): string {
  return nanoUsd === undefined ? '-' : formatUsd(nanoUsd);
}

/** Spent in full cells, reserved in shaded ones. */
function bar({ account, spentNanoUsd, reservedNanoUsd }: AccountStatus): string {
  const { limitNanoUsd } = account;
  if (limitNanoUsd === undefined) return '';
  const cells = (nanoUsd: number): number =>
    limitNanoUsd === 0 ? BAR_CELLS : Math.min(BAR_CELLS, Math.round((nanoUsd / limitNanoUsd) * BAR_CELLS));
  const spent = cells(spentNanoUsd);
  const used = cells(spentNanoUsd + reservedNanoUsd);
  const percent = limitNanoUsd === 0 ? 100 : Math.round((spentNanoUsd / limitNanoUsd) * 100);
  return `${'█'.repeat(spent)}${'▒'.repeat(used - spent)}${'░'.repeat(BAR_CELLS - used)} ${String(percent)}%`;
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}
