import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import type { Spend } from '../../src/operator/api/schemas/traffic.ts';
import { withQuery } from '../api.ts';
import { csv } from '../csv.ts';
import { download } from '../download.ts';
import { percent, usd } from '../format.ts';
import { useLoaded } from '../loaded.ts';
import { Answer } from '../parts/answer.tsx';
import { Empty, Heading, Time } from '../parts/basics.tsx';
import { Field, Filters, Select } from '../parts/field.tsx';
import { Plot, type Series } from '../parts/plot.tsx';
import { Table } from '../parts/table.tsx';
import { replaceQuery, route } from '../route.ts';

const BY = ['owner', 'team', 'key', 'provider', 'model', 'tool', 'tag'].map((value) => ({
  value,
  title: value,
}));
const DAYS = ['7', '30', '90', '366'].map((value) => ({ value, title: `${value} days` }));
const BUCKETS = ['day', 'week', 'month'].map((value) => ({ value, title: value }));
const LOOKS: readonly Pick<Series, 'color' | 'dash'>[] = [
  { color: '--accent' },
  { color: '--warn', dash: [6, 4] },
  { color: '--good', dash: [2, 3] },
  { color: '--bad', dash: [10, 4, 2, 4] },
];

export function SpendOverTime(): JSX.Element {
  const { query } = route.value;
  const chosen = {
    by: query.get('by') ?? 'owner',
    tag: query.get('tag') ?? '',
    days: query.get('days') ?? '30',
    bucket: query.get('bucket') ?? 'day',
  };
  const by = chosen.by === 'tag' ? `tag:${chosen.tag}` : chosen.by;
  const { days, bucket } = chosen;
  const isReady = chosen.by !== 'tag' || chosen.tag !== '';
  const spend = useLoaded<Spend>(isReady ? withQuery('/api/spend', { by, days, bucket }) : undefined);
  function choose(change: Partial<typeof chosen>): void {
    replaceQuery({ ...chosen, ...change });
  }
  return (
    <>
      <Heading>Spend</Heading>
      <Filters>
        <Select
          label="By"
          choices={BY}
          value={chosen.by}
          onChoose={(value) => {
            choose({ by: value });
          }}
        />
        {chosen.by === 'tag' && (
          <Field
            label="Tag"
            value={chosen.tag}
            onTyped={(tag) => {
              choose({ tag });
            }}
          />
        )}
        <Select
          label="Of the last"
          choices={DAYS}
          value={days}
          onChoose={(value) => {
            choose({ days: value });
          }}
        />
        <Select
          label="Sums by"
          choices={BUCKETS}
          value={bucket}
          onChoose={(value) => {
            choose({ bucket: value });
          }}
        />
      </Filters>
      {isReady ? (
        <Answer of={spend}>{(data) => <Shown of={data} />}</Answer>
      ) : (
        <Empty>Name the tag, such as team.</Empty>
      )}
    </>
  );
}

function Shown({ of }: { readonly of: Spend }): JSX.Element {
  const { groups, times, series } = useMemo(() => summed(of), [of]);
  if (!of.enabled) {
    return (
      <Empty>
        Spend is not recorded. Set <code>spend.enabled: true</code> in gateway.yaml; it counts from then on.
      </Empty>
    );
  }
  if (of.rows.length === 0) return <Empty>Nothing was spent in these days.</Empty>;
  return (
    <>
      <p>
        {usd(of.total_usd)} in all, as of <Time at={of.as_of} />.
        {!of.complete && ' The count ended at its time limit, so the sums are too low: choose fewer days.'}
      </p>
      {times.length > 1 && (
        <Plot title={`Spend by ${of.bucket}`} times={times} series={series} format={usd} />
      )}
      <h2>By {of.by}</h2>
      <Table
        caption={`Spend by ${of.by}`}
        rows={groups}
        rowKey={({ group }) => group}
        columns={[
          { title: of.by, cell: ({ group }) => (group === '' ? '(none)' : group) },
          { title: 'Spent', isNumber: true, cell: ({ sum }) => usd(sum) },
          { title: 'Share', isNumber: true, cell: ({ sum }) => percent(sum, of.total_usd) },
        ]}
      />
      <div class="buttons">
        <button
          type="button"
          onClick={() => {
            download(
              'spend.csv',
              csv(
                ['from', of.by, 'usd'],
                of.rows.map((row) => [row.from, row.group, row.usd]),
              ),
            );
          }}
        >
          Download as CSV
        </button>
      </div>
    </>
  );
}

interface Summed {
  readonly groups: readonly { readonly group: string; readonly sum: number }[];
  readonly times: readonly string[];
  /** The largest groups; more lines than looks cannot be told apart. */
  readonly series: readonly Series[];
}

function summed({ rows }: Spend): Summed {
  const sums = new Map<string, number>();
  for (const { group, usd: spent } of rows) sums.set(group, (sums.get(group) ?? 0) + spent);
  const groups = [...sums].map(([group, sum]) => ({ group, sum })).sort((one, other) => other.sum - one.sum);
  const times = [...new Set(rows.flatMap(({ from }) => from ?? []))].sort();
  const values = new Map(rows.map((row) => [`${row.from ?? ''} ${row.group}`, row.usd]));
  const series = LOOKS.flatMap((look, at) => {
    const group = groups[at]?.group;
    if (group === undefined) return [];
    return {
      ...look,
      title: group === '' ? '(none)' : group,
      values: times.map((time) => values.get(`${time} ${group}`) ?? 0),
    };
  });
  return { groups, times, series };
}
