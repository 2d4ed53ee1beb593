import type { JSX } from 'preact';

import type { Budget } from '../../src/operator/api/schemas/keys.ts';
import { csv } from '../csv.ts';
import { download } from '../download.ts';
import { Answer } from '../parts/answer.tsx';
import { Empty, Heading } from '../parts/basics.tsx';
import { windowColumns } from '../parts/budget-bars.tsx';
import { KeyLink } from '../parts/decision-rows.tsx';
import { Filters, SearchField, Select } from '../parts/field.tsx';
import { Pager, usePaged } from '../parts/paged.tsx';
import { Table } from '../parts/table.tsx';
import { href, replaceQuery, route } from '../route.ts';
import { SharedBudgets } from './shared-budgets.tsx';

const EVERY_MS = 10_000;
const SORTS = [
  { value: 'used', title: 'Fullest' },
  { value: 'name', title: 'Name' },
];

type Row = Budget & { readonly period: Budget['windows'][number] };

/** Only windows with a limit; the view of the key shows the others. */
function limited(budget: Budget): readonly Row[] {
  return budget.windows
    .filter(({ limit_usd: limit }) => limit !== null)
    .map((period) => ({ ...budget, period }));
}

export function Money(): JSX.Element {
  const { query } = route.value;
  const chosen = { search: query.get('search') ?? '', sort: query.get('sort') ?? 'used' };
  const budgets = usePaged<{ readonly items: readonly Budget[] }>('/api/budgets', chosen, EVERY_MS);
  function choose(change: Partial<typeof chosen>): void {
    replaceQuery({ ...chosen, ...change });
  }
  return (
    <>
      <Heading>Money</Heading>
      <div class="tools">
        <a class="button" href={href('spend')}>
          Spend over time
        </a>
        <a class="button" href={href('decisions', undefined, { refusal: 'budget_exceeded' })}>
          Refused requests
        </a>
      </div>
      <SharedBudgets />
      <h2>Budgets of keys</h2>
      <p class="muted">
        Solid: spent. Striped: reserved for requests in progress. Both count against the limit.
      </p>
      <Filters>
        <SearchField value={chosen.search} onSearch={(search) => choose({ search })} />
        <Select label="Order" choices={SORTS} value={chosen.sort} onChoose={(sort) => choose({ sort })} />
      </Filters>
      <Answer loaded={budgets}>
        {({ items }) => <Rows rows={items.flatMap((budget) => limited(budget))} />}
      </Answer>
      <Pager paged={budgets} />
    </>
  );
}

function Rows({ rows }: { readonly rows: readonly Row[] }): JSX.Element {
  if (rows.length === 0) {
    return (
      <Empty>
        No key has a budget. <a href={href('keys')}>Choose a key</a> and set one, or run{' '}
        <code>gateway budget set</code> for the default.
      </Empty>
    );
  }
  return (
    <>
      <Table
        caption="Budgets of keys by window"
        rows={rows}
        rowKey={({ key_hash: hash, period }) => `${hash} ${period.window}`}
        columns={[
          { title: 'Key', cell: ({ name, key_hash: hash }) => <KeyLink name={name} hash={hash} /> },
          { title: 'Owner', cell: ({ owner }) => owner },
          {
            title: 'Window',
            cell: ({ period, source }) => `${period.window}${source === 'default' ? ' (default)' : ''}`,
          },
          ...windowColumns(({ period }: Row) => period),
        ]}
      />
      <div class="buttons">
        <button type="button" onClick={() => download('budgets.csv', asCsv(rows))}>
          Download this page as CSV
        </button>
      </div>
    </>
  );
}

function asCsv(rows: readonly Row[]): string {
  return csv(
    ['key_hash', 'name', 'owner', 'window', 'spent_usd', 'reserved_usd', 'limit_usd', 'resets_at'],
    rows.map(({ key_hash: hash, name, owner, period }) => [
      hash,
      name,
      owner,
      period.window,
      period.spent_usd,
      period.reserved_usd,
      period.limit_usd,
      period.resets_at,
    ]),
  );
}
