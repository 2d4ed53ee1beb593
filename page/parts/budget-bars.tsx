import type { JSX } from 'preact';

import type { KeyDetails } from '../../src/operator/api/schemas/keys.ts';
import { percent, usd } from '../format.ts';
import { Empty, Time } from './basics.tsx';
import { Table, type Column } from './table.tsx';

type Budget = KeyDetails['budget'];
type Window = Budget['windows'][number];

/** Windows of a budget as bars: what is spent, and beside it what is reserved. */
export function BudgetBars({ of }: { readonly of: Budget }): JSX.Element {
  if (of.windows.length === 0) return <Empty>This key has no budget: what it spends has no limit.</Empty>;
  return (
    <Table
      caption={`Budget of ${of.name}, ${of.source === 'own' ? 'its own' : 'the default'}`}
      rows={of.windows}
      rowKey={({ window }) => window}
      columns={[
        { title: 'Window', cell: ({ window }) => window },
        ...windowColumns((window: Window) => window),
      ]}
    />
  );
}

/** Columns of a window: how full it is, what is spent, and beside it what is reserved. */
export function windowColumns<Row>(windowOf: (row: Row) => Window): readonly Column<Row>[] {
  return [
    { title: 'Used', cell: (row) => <Bar of={windowOf(row)} /> },
    { title: 'Spent', isNumber: true, cell: (row) => usd(windowOf(row).spent_usd) },
    { title: 'Reserved', isNumber: true, cell: (row) => usd(windowOf(row).reserved_usd) },
    { title: 'Limit', isNumber: true, cell: (row) => limitOf(windowOf(row)) },
    { title: 'Resets', cell: (row) => <Reset of={windowOf(row)} /> },
  ];
}

function limitOf({ limit_usd: limit }: Window): string {
  return limit === null ? 'none' : usd(limit);
}

function Reset({ of: { resets_at: at } }: { readonly of: Window }): JSX.Element | null {
  return at === null ? null : <Time at={at} />;
}

function Bar({
  of: { limit_usd: limit, spent_usd: spent, reserved_usd: reserved },
}: {
  readonly of: Window;
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
