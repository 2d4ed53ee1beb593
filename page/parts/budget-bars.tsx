import type { JSX } from 'preact';

import type { KeyDetails } from '../../src/operator/api/schemas/keys.ts';
import { percent, usd } from '../format.ts';
import { Empty, Time } from './basics.tsx';
import { Table, type Column } from './table.tsx';

type Budget = KeyDetails['budget'];
type Window = Budget['windows'][number];

/** Windows of a budget as bars of spent and reserved money. */
export function BudgetBars({ budget }: { readonly budget: Budget }): JSX.Element {
  if (budget.windows.length === 0) return <Empty>This key has no budget, so its spend has no limit.</Empty>;
  return (
    <Table
      caption={`Budget of ${budget.name}, ${budget.source === 'own' ? 'its own' : 'the default'}`}
      rows={budget.windows}
      rowKey={({ window }) => window}
      columns={[
        { title: 'Window', cell: ({ window }) => window },
        ...windowColumns((window: Window) => window),
      ]}
    />
  );
}

export function windowColumns<Row>(windowOf: (row: Row) => Window): readonly Column<Row>[] {
  return [
    { title: 'Used', cell: (row) => <Bar window={windowOf(row)} /> },
    { title: 'Spent', isNumber: true, cell: (row) => usd(windowOf(row).spent_usd) },
    { title: 'Reserved', isNumber: true, cell: (row) => usd(windowOf(row).reserved_usd) },
    { title: 'Limit', isNumber: true, cell: (row) => limitOf(windowOf(row)) },
    { title: 'Resets', cell: (row) => <Reset window={windowOf(row)} /> },
  ];
}

function limitOf({ limit_usd: limit }: Window): string {
  return limit === null ? 'none' : usd(limit);
}

function Reset({ window: { resets_at: at } }: { readonly window: Window }): JSX.Element | null {
  return at === null ? null : <Time at={at} />;
}

function Bar({
  window: { limit_usd: limit, spent_usd: spent, reserved_usd: reserved },
}: {
  readonly window: Window;
}): JSX.Element {
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
