import type { KeyRecord } from '../src/auth/key-record.ts';
import { remaining, turnOf, usedPercent } from '../src/checks/budget/status-json.ts';
import type { AccountStatus } from '../src/checks/budget/store.ts';
import { formatUsd } from '../src/pricing/usd.ts';
import type { Io } from './command.ts';
import { shortTime } from './key-view.ts';
import { indented, painter, printable, table } from './output.ts';

export interface KeyBudget {
  readonly record: KeyRecord;
  readonly source: 'own' | 'default' | 'none';
  readonly windows: readonly AccountStatus[];
}

const BAR_CELLS = 20;

export function byUse(a: KeyBudget, b: KeyBudget): number {
  return usedPercent(b.windows) - usedPercent(a.windows) || a.record.name.localeCompare(b.record.name);
}

export function statusTable(budgets: readonly KeyBudget[], io: Io, now: number): string {
  const paint = painter(io);
  return windowTables(
    budgets.map(({ record, source, windows }) => ({
      title: `${printable(record.name)}  ${paint('dim', `${record.keyHash}  ${sourceText(source)}`)}`,
      windows,
    })),
    io,
    now,
  );
}

export interface TitledWindows {
  readonly title: string;
  readonly windows: readonly AccountStatus[];
}

export function windowTables(budgets: readonly TitledWindows[], io: Io, now: number): string {
  const paint = painter(io);
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
    .map(({ title, windows }) => {
      const shown = windows.filter(isShown);
      if (shown.length === 0) return `${title}\n  nothing spent, no limit`;
      const rows = shown.map((window) => [
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

function isShown({ account, spentNanoUsd, reservedNanoUsd }: AccountStatus): boolean {
  return account.limitNanoUsd !== undefined || spentNanoUsd > 0 || reservedNanoUsd > 0;
}

function sourceText(source: KeyBudget['source']): string {
  return { own: 'own budget', default: 'default budget', none: 'no budget' }[source];
}

function amount(nanoUsd: number | undefined): string {
  return nanoUsd === undefined ? '-' : formatUsd(nanoUsd);
}

/** Draws spent money as full and reserved money as shaded cells, then the percentage spent. Empty without a limit. */
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
