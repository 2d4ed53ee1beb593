import type { Budget, SharedBudget } from '../../src/operator/api/schemas/keys.ts';
import { me } from '../api.ts';
import { csv } from '../csv.ts';
import { download } from '../download.ts';
import { Answer } from '../parts/answer.tsx';
import { Empty, Heading } from '../parts/basics.tsx';
import { limitedPeriods, WINDOW_COLUMNS } from '../parts/budget-bars.tsx';
import { KeyLink } from '../parts/decision-rows.tsx';
import { Filters, SearchField, Select } from '../parts/field.tsx';
import { PagedList, Pager, usePaged } from '../parts/paged.tsx';
import { Table } from '../parts/table.tsx';
import { href, useChosen } from '../route.ts';

const EVERY_MS = 10_000;
const SORTS = [
  { value: 'used', title: 'Fullest' },
  { value: 'name', title: 'Name' },
];

type Row = Budget & { readonly period: Budget['windows'][number] };

export function Money() {
  const { chosen, choose } = useChosen({ search: '', sort: 'used' });
  const budgets = usePaged<Budget>('/api/budgets', chosen, EVERY_MS);
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
      <h2>Key budgets</h2>
      <p class="muted">
        Solid: spent. Striped: reserved for requests in progress. Both count against the limit.
      </p>
      <Filters>
        <SearchField value={chosen.search} onSearch={(search) => choose({ search })} />
        <Select label="Order" choices={SORTS} value={chosen.sort} onChoose={(sort) => choose({ sort })} />
      </Filters>
      <Answer loaded={budgets}>{({ items }) => <Rows rows={items.flatMap(limitedPeriods)} />}</Answer>
      <Pager paged={budgets} />
    </>
  );
}

function Rows({ rows }: { readonly rows: readonly Row[] }) {
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
        caption="Key budgets by window"
        rows={rows}
        rowKey={({ key_hash: hash, period }) => `${hash} ${period.window}`}
        columns={[
          { title: 'Key', cell: ({ name, key_hash: hash }) => <KeyLink name={name} hash={hash} /> },
          { title: 'Owner', cell: ({ owner }) => owner },
          {
            title: 'Window',
            cell: ({ period, source }) => `${period.window}${source === 'default' ? ' (default)' : ''}`,
          },
          ...WINDOW_COLUMNS,
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

/** Hidden from owners, because shared budgets also count requests of other owners. */
function SharedBudgets() {
  if (me.value?.owner != null) return null;
  return (
    <>
      <h2>Shared budgets</h2>
      <SharedList />
    </>
  );
}

function SharedList() {
  const budgets = usePaged<SharedBudget>('/api/shared-budgets', {}, EVERY_MS);
  return (
    <PagedList
      paged={budgets}
      label="Pages of shared budgets"
      empty={
        <>
          No shared budgets yet. Add one for a team, a model or everything under <code>budgets</code> in
          gateway.yaml, or run <code>gateway budget set --owner search --daily 10</code>.
        </>
      }
    >
      {(items) => (
        <Table
          caption="Shared budgets by window"
          rows={items.flatMap(limitedPeriods)}
          rowKey={({ name, period }) => `${name} ${period.window}`}
          columns={[
            { title: 'Budget', cell: ({ name }) => name },
            { title: 'Requests', cell: ({ match }) => <Match match={match} /> },
            { title: 'Window', cell: ({ period, time_zone: zone }) => windowName(period.window, zone) },
            ...WINDOW_COLUMNS,
          ]}
        />
      )}
    </PagedList>
  );
}

function windowName(window: string, zone: string): string {
  return zone === 'UTC' ? window : `${window} (${zone})`;
}

function Match({ match }: { readonly match: SharedBudget['match'] }) {
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
