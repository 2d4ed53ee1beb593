import type { JSX } from 'preact';

import type { SharedBudget } from '../../src/operator/api/schemas/keys.ts';
import { me } from '../api.ts';
import { Answer } from '../parts/answer.tsx';
import { Empty } from '../parts/basics.tsx';
import { windowColumns } from '../parts/budget-bars.tsx';
import { Pager, usePaged } from '../parts/paged.tsx';
import { Table } from '../parts/table.tsx';

const EVERY_MS = 10_000;

type Row = SharedBudget & { readonly period: SharedBudget['windows'][number] };

/** Budgets shared by several keys. Hidden from owners, because they also count requests of other owners. */
export function SharedBudgets(): JSX.Element | null {
  if (me.value?.owner != null) return null;
  return (
    <>
      <h2>Shared budgets</h2>
      <List />
    </>
  );
}

function List(): JSX.Element {
  const budgets = usePaged<{ readonly items: readonly SharedBudget[] }>('/api/shared-budgets', {}, EVERY_MS);
  return (
    <>
      <Answer loaded={budgets}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              No shared budgets yet. Add one for a team, a model or everything under <code>budgets</code> in
              gateway.yaml, or run <code>gateway budget set --owner search --daily 10</code>.
            </Empty>
          ) : (
            <Table
              caption="Shared budgets by window"
              rows={items.flatMap((budget) => limited(budget))}
              rowKey={({ name, period }) => `${name} ${period.window}`}
              columns={[
                { title: 'Budget', cell: ({ name }) => name },
                { title: 'Requests', cell: ({ match }) => <Match match={match} /> },
                { title: 'Window', cell: ({ period, time_zone: zone }) => windowName(period.window, zone) },
                ...windowColumns(({ period }: Row) => period),
              ]}
            />
          )
        }
      </Answer>
      <Pager paged={budgets} label="Pages of shared budgets" />
    </>
  );
}

function limited(budget: SharedBudget): readonly Row[] {
  return budget.windows
    .filter(({ limit_usd: limit }) => limit !== null)
    .map((period) => ({ ...budget, period }));
}

function windowName(window: string, zone: string): string {
  return zone === 'UTC' ? window : `${window} (${zone})`;
}

function Match({ match }: { readonly match: SharedBudget['match'] }): JSX.Element {
  if (match.length === 0) return <>every request</>;
  return (
    <span class="words">
      {match.map(({ by, values }) => (
        <code key={by}>
          {by}: {values.join(', ')}
        </code>
      ))}
    </span>
  );
}
