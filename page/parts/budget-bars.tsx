import type { KeyDetails } from '../../src/operator/api/schemas/keys.ts';
import { percent, usd } from '../format.ts';
import { Empty, Time } from './basics.tsx';
import { Table, type Column } from './table.tsx';

type Budget = KeyDetails['budget'];
type Window = Budget['windows'][number];

export function BudgetBars({ budget }: { readonly budget: Budget }) {
  if (budget.windows.length === 0)
    return <Empty>This key has no budget. Only shared budgets limit its spend.</Empty>;
  return (
    <Table
      caption={`Budget of ${budget.name}, ${budget.source === 'own' ? 'its own' : 'the default'}`}
      rows={budget.windows.map((period) => ({ period }))}
      rowKey={({ period }) => period.window}
      columns={[{ title: 'Window', cell: ({ period }) => period.window }, ...WINDOW_COLUMNS]}
    />
  );
}

export const WINDOW_COLUMNS: readonly Column<{ readonly period: Window }>[] = [
  { title: 'Used', cell: ({ period }) => <Bar window={period} /> },
  { title: 'Spent', isNumber: true, cell: ({ period }) => usd(period.spent_usd) },
  { title: 'Reserved', isNumber: true, cell: ({ period }) => usd(period.reserved_usd) },
  {
    title: 'Limit',
    isNumber: true,
    cell: ({ period: { limit_usd: limit } }) => (limit === null ? 'none' : usd(limit)),
  },
  { title: 'Resets', cell: ({ period: { resets_at: at } }) => at !== null && <Time at={at} /> },
];

/** Returns a budget once for each window with a limit. The key's view shows the other windows. */
export function limitedPeriods<B extends Pick<Budget, 'windows'>>(budget: B): (B & { period: Window })[] {
  return budget.windows
    .filter(({ limit_usd: limit }) => limit !== null)
    .map((period) => ({ ...budget, period }));
}

function Bar({
  window: { limit_usd: limit, spent_usd: spent, reserved_usd: reserved },
}: {
  readonly window: Window;
}) {
  if (limit === null) return <>no limit</>;
  const share = (part: number): string =>
    `${String(limit <= 0 ? 100 : Math.min(100, (part / limit) * 100))}%`;
  return (
    <>
      <div class={spent + reserved >= limit ? 'stack over' : 'stack'} aria-hidden="true">
        <div class="spent" style={{ width: share(spent) }} />
        <div class="reserved" style={{ width: share(reserved) }} />
      </div>
      {percent(spent + reserved, limit)}
    </>
  );
}
