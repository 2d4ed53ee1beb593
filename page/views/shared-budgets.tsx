import type { JSX } from 'preact';

import type { SharedBudget } from '../../src/operator/api/schemas/keys.ts';
import { me } from '../api.ts';
import { Answer } from '../parts/answer.tsx';
import { Empty } from '../parts/basics.tsx';
import { windowColumns } from '../parts/budget-bars.tsx';
import { Pager, usePaged } from '../parts/paged.tsx';
import { Table } from '../parts/table.tsx';

const EVERY_MS = 10_000;

type Row = SharedBudget & { readonly of: SharedBudget['windows'][number] };

/** Budgets of teams, models or everything. They count requests of others too, so an owner does not see them. */
export function SharedBudgets(): JSX.Element | null {
  if (me.value?.owner != null) return null;
  return (
    <>
      <h2>Budgets that keys share</h2>
      <List />
    </>
  );
}

function List(): JSX.Element {
  const budgets = usePaged<{ readonly items: readonly SharedBudget[] }>('/api/shared-budgets', {}, EVERY_MS);
  return (
    <>
      <Answer of={budgets}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              No budget is shared. Add one for a team, a model or everything under <code>budgets</code> in
              gateway.yaml, or run <code>gateway budget set --owner search --daily 10</code>.
            </Empty>
          ) : (
            <Table
              caption="Budgets that keys share, by window"
              rows={items.flatMap((budget) => limited(budget))}
              rowKey={({ name, of }) => `${name} ${of.window}`}
              columns={[
                { title: 'Budget', cell: ({ name }) => name },
                { title: 'Counts', cell: ({ match }) => <Match of={match} /> },
                { title: 'Window', cell: ({ of, time_zone: zone }) => windowName(of.window, zone) },
                ...windowColumns(({ of }: Row) => of),
              ]}
            />
          )
        }
      </Answer>
      <Pager of={budgets} label="Pages of shared budgets" />
    </>
  );
}

function limited(budget: SharedBudget): readonly Row[] {
  return budget.windows.filter(({ limit_usd: limit }) => limit !== null).map((of) => ({ ...budget, of }));
}

function windowName(window: string, zone: string): string {
  return zone === 'UTC' ? window : `${window} (${zone})`;
}

function Match({ of }: { readonly of: SharedBudget['match'] }): JSX.Element {
  if (of.length === 0) return <>every request</>;
  return (
    <span class="words">
      {of.map(({ by, values }) => (
        <code key={by}>
          {by}: {values.join(', ')}
        </code>
      ))}
    </span>
  );
}
