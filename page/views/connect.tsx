import type { Connect, Key } from '../../src/operator/api/schemas/keys.ts';
import { useLoaded } from '../loaded.ts';
import { Answer } from '../parts/answer.tsx';
import { Copy, Empty, Heading } from '../parts/basics.tsx';
import { Filters, SearchField } from '../parts/field.tsx';
import { usePaged } from '../parts/paged.tsx';
import { Table } from '../parts/table.tsx';
import { href, useChosen } from '../route.ts';

export function ConnectClient({ id }: { readonly id: string }) {
  return (
    <>
      <Heading>Connect a client</Heading>
      {id === '' ? <ChooseKey /> : <Snippets id={id} />}
    </>
  );
}

function ChooseKey() {
  const { chosen, choose } = useChosen({ search: '' });
  const keys = usePaged<Key>('/api/keys', { ...chosen, status: 'active', limit: 20 });
  return (
    <>
      <p>Choose the key that the client sends.</p>
      <Filters>
        <SearchField value={chosen.search} onSearch={(search) => choose({ search })} />
      </Filters>
      <Answer loaded={keys}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              There is no active key. <a href={href('keys')}>Create one</a> first.
            </Empty>
          ) : (
            <Table
              caption="Active keys"
              rows={items}
              rowKey={({ key_hash: hash }) => hash}
              columns={[
                {
                  title: 'Name',
                  cell: ({ name, key_hash: hash }) => <a href={href('connect', hash)}>{name}</a>,
                },
                { title: 'Owner', cell: ({ owner }) => owner },
                { title: 'Provider', cell: ({ provider }) => provider },
              ]}
            />
          )
        }
      </Answer>
    </>
  );
}

function Snippets({ id }: { readonly id: string }) {
  const connect = useLoaded<Connect>(`/api/connect/${encodeURIComponent(id)}`);
  return (
    <Answer loaded={connect}>
      {({ key_hash: hash, name, address, snippets }) => (
        <>
          <p>
            Key <a href={href('keys', hash)}>{name}</a> at <code>{address}</code>. Set{' '}
            <code>GATEWAY_KEY</code> to the raw key, which was shown when the key was created.{' '}
            <a href={href('connect')}>Another key</a>
          </p>
          {snippets.map(({ client, title, text }) => (
            <section key={client} class="card snippet" aria-label={title}>
              <h2>{title}</h2>
              <pre tabIndex={0}>{text}</pre>
              <Copy text={text} label={`Copy for ${title}`} />
            </section>
          ))}
        </>
      )}
    </Answer>
  );
}
