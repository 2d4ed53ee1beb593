import type { Key } from '../../src/operator/api/schemas/keys.ts';
import { count } from '../format.ts';
import { Badge, Heading, Time } from '../parts/basics.tsx';
import { Changes } from '../parts/change.tsx';
import { Filters, SearchField, Select } from '../parts/field.tsx';
import { PagedList, usePaged } from '../parts/paged.tsx';
import { Table, type Column } from '../parts/table.tsx';
import { href, useChosen } from '../route.ts';
import { useNewKey } from './new-key.tsx';

const STATUSES = [
  { value: '', title: 'Any' },
  { value: 'active', title: 'Active' },
  { value: 'locked', title: 'Locked' },
  { value: 'revoked', title: 'Revoked' },
  { value: 'expired', title: 'Expired' },
];
const SORTS = [
  { value: 'created', title: 'Newest' },
  { value: 'name', title: 'Name' },
  { value: 'last_used', title: 'Last used' },
  { value: 'expires', title: 'Expires first' },
];

const COLUMNS: readonly Column<Key>[] = [
  { title: 'Name', cell: ({ name, key_hash: hash }) => <a href={href('keys', hash)}>{name}</a> },
  { title: 'State', cell: (key) => <KeyState record={key} /> },
  {
    title: 'Attempts while locked',
    isNumber: true,
    cell: ({ held_attempts: attempts }) => (attempts === 0 ? '' : count(attempts)),
  },
  { title: 'Owner', cell: ({ owner }) => owner },
  { title: 'Agent', cell: ({ agent_name: agent }) => agent },
  {
    title: 'Tags',
    cell: ({ tags }) =>
      Object.entries(tags)
        .map(([name, value]) => `${name}=${value}`)
        .join(', '),
  },
  { title: 'Provider', cell: ({ provider }) => provider },
  { title: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
  { title: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'never' : <Time at={at} />) },
  { title: 'Expires', cell: ({ expires_at: at }) => (at === null ? 'never' : <Time at={at} />) },
];

export function Keys() {
  const { chosen, choose } = useChosen({ search: '', status: '', sort: 'created' });
  const keys = usePaged<Key>('/api/keys', chosen);
  const { begin, dialogs } = useNewKey(keys.reload);
  return (
    <>
      <Heading>Keys</Heading>
      <Filters>
        <SearchField
          hint="name, owner, agent, tag or hash"
          value={chosen.search}
          onSearch={(search) => choose({ search })}
        />
        <Select
          label="State"
          choices={STATUSES}
          value={chosen.status}
          onChoose={(status) => choose({ status })}
        />
        <Select label="Order" choices={SORTS} value={chosen.sort} onChoose={(sort) => choose({ sort })} />
      </Filters>
      <Changes role="admin">
        <button type="button" class="primary" onClick={begin}>
          Create a key
        </button>
      </Changes>
      <PagedList
        paged={keys}
        empty={
          chosen.search !== '' || chosen.status !== ''
            ? 'No key matches. Search for part of a name, owner, agent or tag.'
            : 'There are no keys yet. Create one, then connect a client.'
        }
      >
        {(items) => (
          <Table caption="Keys" columns={COLUMNS} rows={items} rowKey={({ key_hash: hash }) => hash} />
        )}
      </PagedList>
      {dialogs}
    </>
  );
}

export function KeyState({
  record: { status, locked, blocked_at: blockedAt },
}: {
  readonly record: Pick<Key, 'status' | 'locked' | 'blocked_at'>;
}) {
  if (status !== 'active') return <Badge tone="plain">{status}</Badge>;
  if (blockedAt !== null) return <Badge tone="bad">blocked</Badge>;
  return locked ? <Badge tone="bad">locked</Badge> : <Badge tone="good">active</Badge>;
}
