import type { JSX } from 'preact';

import type { KeyDetails } from '../../src/operator/api/schemas.ts';
import { percent, usd } from '../format.ts';
import { Empty, Time } from './basics.tsx';
import { Table } from './table.tsx';

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
        { title: 'Used', cell: (window) => <Bar of={window} /> },
        { title: 'Spent', isNumber: true, cell: ({ spent_usd: spent }) => usd(spent) },
        { title: 'Reserved', isNumber: true, cell: ({ reserved_usd: reserved }) => usd(reserved) },
        {
          title: 'Limit',
          isNumber: true,
          cell: ({ limit_usd: limit }) => (limit === null ? 'none' : usd(limit)),
        },
        { title: 'Resets', cell: ({ resets_at: at }) => at && <Time at={at} /> },
      ]}
    />
  );
}

export function Bar({
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
