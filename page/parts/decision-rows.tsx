import type { Decision } from '../../src/operator/api/schemas/traffic.ts';
import { clockTime, count, usd } from '../format.ts';
import { href } from '../route.ts';
import { Badge, type Tone } from './basics.tsx';
import { Table, type Column } from './table.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  Allowed: 'good',
  Blocked: 'bad',
  Quarantined: 'bad',
  Corrected: 'warn',
  Detected: 'warn',
  Error: 'bad',
};

export function Disposition({ value }: { readonly value: string }) {
  return <Badge tone={TONES[value] ?? 'plain'}>{value}</Badge>;
}

const COLUMNS: readonly Column<Decision>[] = [
  {
    title: 'Time',
    cell: ({ at, request_id: id }) => (
      <a href={href('requests', id)} aria-label={`${clockTime(at)}: all records of this request`}>
        <time dateTime={at}>{clockTime(at)}</time>
      </a>
    ),
  },
  { title: 'Verdict', cell: ({ disposition }) => <Disposition value={disposition} /> },
  { title: 'Key', cell: ({ name, key_hash: hash }) => <KeyLink name={name} hash={hash} /> },
  { title: 'Owner', cell: ({ owner }) => owner },
  { title: 'Target', cell: ({ service, model, tool }) => [service, model, tool].filter(Boolean).join(' · ') },
  { title: 'Reason', cell: ({ refusal, message }) => <Reason refusal={refusal} message={message} /> },
  { title: 'Cost', isNumber: true, cell: ({ cost_usd: cost }) => (cost === null ? '' : usd(cost)) },
  {
    title: 'Latency',
    isNumber: true,
    cell: ({ latency_ms: ms }) => (ms === null ? '' : `${count(Math.round(ms))} ms`),
  },
];

export function DecisionRows({
  rows,
  caption,
}: {
  readonly rows: readonly Decision[];
  readonly caption: string;
}) {
  return <Table caption={caption} columns={COLUMNS} rows={rows} rowKey={({ id }) => id} />;
}

export function KeyLink({ name, hash }: { readonly name: string | null; readonly hash: string | null }) {
  return hash === null ? <>{name}</> : <a href={href('keys', hash)}>{name ?? hash.slice(0, 19)}</a>;
}

function Reason({ refusal, message }: { readonly refusal: string | null; readonly message: string }) {
  return (
    <>
      {refusal !== null && <code>{refusal}</code>} {message}
    </>
  );
}
