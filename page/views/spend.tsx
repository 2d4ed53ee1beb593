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
import { useChosen } from '../route.ts';

const BY = ['owner', 'team', 'key', 'provider', 'model', 'tool', 'tag'].map((value) => ({
  value,
  title: value,
}));
const DAYS = ['7', '30', '90', '366'].map((value) => ({ value, title: `${value} days` }));
const BUCKETS = ['day', 'week', 'month'].map((value) => ({ value, title: value }));
/** Colours and dash patterns; the dashes distinguish the lines without colour. */
const LOOKS: readonly Pick<Series, 'color' | 'dash'>[] = [
  { color: '--accent' },
  { color: '--warn', dash: [6, 4] },
  { color: '--good', dash: [2, 3] },
  { color: '--bad', dash: [10, 4, 2, 4] },
];

export function SpendOverTime() {
  const { chosen, choose } = useChosen({ by: 'owner', tag: '', days: '30', bucket: 'day' });
  const by = chosen.by === 'tag' ? `tag:${chosen.tag}` : chosen.by;
  const { days, bucket } = chosen;
  const isReady = chosen.by !== 'tag' || chosen.tag !== '';
  const spend = useLoaded<Spend>(isReady ? withQuery('/api/spend', { by, days, bucket }) : undefined);
  return (
    <>
      <Heading>Spend</Heading>
      <Filters>
        <Select label="By" choices={BY} value={chosen.by} onChoose={(value) => choose({ by: value })} />
        {chosen.by === 'tag' && <Field label="Tag" value={chosen.tag} onTyped={(tag) => choose({ tag })} />}
        <Select label="Period" choices={DAYS} value={days} onChoose={(value) => choose({ days: value })} />
        <Select
          label="Sum per"
          choices={BUCKETS}
          value={bucket}
          onChoose={(value) => choose({ bucket: value })}
        />
      </Filters>
      {isReady ? (
        <Answer loaded={spend}>{(data) => <Shown spend={data} />}</Answer>
      ) : (
        <Empty>Enter a tag, such as team.</Empty>
      )}
    </>
  );
}

function Shown({ spend }: { readonly spend: Spend }) {
  const { groups, times, series } = useMemo(() => summed(spend), [spend]);
  if (!spend.enabled) {
    return (
      <Empty>
        Spend is not recorded. Set <code>spend.enabled: true</code> in gateway.yaml to start recording.
      </Empty>
    );
  }
  if (spend.rows.length === 0) return <Empty>Nothing was spent in this period.</Empty>;
  return (
    <>
      <p>
        {usd(spend.total_usd)} in total, as of <Time at={spend.as_of} />.
        {!spend.complete &&
          ' The count is incomplete, so sums may be too low. Try again, or choose fewer days.'}
      </p>
      {times.length > 1 && (
        <Plot title={`Spend by ${spend.bucket}`} times={times} series={series} format={usd} />
      )}
      <h2>By {spend.by}</h2>
      <Table
        caption={`Spend by ${spend.by}`}
        rows={groups}
        rowKey={({ group }) => group}
        columns={[
          { title: spend.by, cell: ({ group }) => (group === '' ? '(none)' : group) },
          { title: 'Spent', isNumber: true, cell: ({ sum }) => usd(sum) },
          { title: 'Share', isNumber: true, cell: ({ sum }) => percent(sum, spend.total_usd) },
        ]}
      />
      <div class="buttons">
        <button
          type="button"
          onClick={() =>
            download(
              'spend.csv',
              csv(
                ['from', spend.by, 'usd'],
                spend.rows.map((row) => [row.from, row.group, row.usd]),
              ),
            )
          }
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
  /** The largest groups, at most one per entry of `LOOKS`. */
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
