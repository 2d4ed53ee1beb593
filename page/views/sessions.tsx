import type { JSX } from 'preact';

import type { Session, SessionDetails } from '../../src/operator/api/schemas/keys.ts';
import { withQuery } from '../api.ts';
import { count, usd } from '../format.ts';
import { useLoaded } from '../loaded.ts';
import { Answer } from '../parts/answer.tsx';
import { Empty, Facts, Heading, Time, Words } from '../parts/basics.tsx';
import { Changes, useChange } from '../parts/change.tsx';
import { KeyLink } from '../parts/decision-rows.tsx';
import { Field, Filters } from '../parts/field.tsx';
import { Pager, usePaged } from '../parts/paged.tsx';
import { Table, type Column } from '../parts/table.tsx';
import { href, replaceQuery, route } from '../route.ts';

const EVERY_MS = 5_000;

const COLUMNS: readonly Column<Session>[] = [
  { title: 'Session', cell: ({ id, key_hash: key }) => <a href={href('sessions', id, { key })}>{id}</a> },
  { title: 'Key', cell: ({ key_name: name, key_hash: hash }) => <KeyLink name={name} hash={hash} /> },
  { title: 'Owner', cell: ({ owner }) => owner },
  { title: 'Steps', isNumber: true, cell: steps },
  { title: 'Spent', isNumber: true, cell: spent },
  { title: 'State', cell: ({ state }) => state },
  { title: 'Taints', cell: ({ taint_flags: flags }) => <Words of={flags} none="none" /> },
  { title: 'Last used', cell: ({ last_used_at: at }) => <Time at={at} /> },
];

function steps({ steps: done, max_steps: max }: Session): string {
  return max === null ? count(done) : `${count(done)} of ${count(max)}`;
}

function spent({ spend_usd: done, budget_usd: budget }: Session): string {
  return budget === null ? usd(done) : `${usd(done)} of ${usd(budget)}`;
}

export function Sessions(): JSX.Element {
  const key = route.value.query.get('key') ?? '';
  const sessions = usePaged<{ readonly items: readonly Session[] }>('/api/sessions', { key }, EVERY_MS);
  return (
    <>
      <Heading>Sessions</Heading>
      <Filters>
        <Field
          label="Key"
          hint="its name or hash"
          value={key}
          onTyped={(value) => {
            replaceQuery({ key: value });
          }}
        />
      </Filters>
      <Answer of={sessions}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              No session is open. A client opens one with the header <code>X-Gateway-Session-Id</code>.
            </Empty>
          ) : (
            <Table
              caption="Sessions"
              columns={COLUMNS}
              rows={items}
              rowKey={(one) => `${one.key_hash} ${one.id}`}
            />
          )
        }
      </Answer>
      <Pager of={sessions} />
    </>
  );
}

export function OneSession({ id }: { readonly id: string }): JSX.Element {
  const key = route.value.query.get('key') ?? '';
  const path = `/api/sessions/${encodeURIComponent(id)}`;
  const session = useLoaded<SessionDetails>(withQuery(path, { key }), EVERY_MS);
  const { ask, dialog } = useChange();
  function end(): void {
    ask<{ readonly changed: boolean }>({
      title: 'End the session',
      consequence:
        'Its steps, taints and state are forgotten. The next request that names it begins a new one. This cannot be undone.',
      verb: 'End it',
      isDangerous: true,
      path: `${path}/end`,
      body: () => ({ key }),
      said: ({ changed }) => (changed ? 'The session has ended.' : 'The session had ended already.'),
      onDone: () => {
        location.hash = href('sessions', undefined, { key });
      },
    });
  }
  return (
    <>
      <Heading>Session</Heading>
      <p>
        <code>{id}</code>
      </p>
      <Answer of={session}>
        {(data) => (
          <>
            <Changes role="operator">
              <button type="button" class="danger" onClick={end}>
                End the session
              </button>
            </Changes>
            <Shown of={data} />
          </>
        )}
      </Answer>
      {dialog}
    </>
  );
}

function Shown({ of }: { readonly of: SessionDetails }): JSX.Element {
  return (
    <>
      <Facts
        of={{
          Key: <KeyLink name={of.key_name} hash={of.key_hash} />,
          Owner: of.owner,
          Steps: steps(of),
          Spent: spent(of),
          State: of.state,
          Taints: <Words of={of.taint_flags} none="none" />,
          Marks: <Words of={of.marks} none="none" />,
          'Tools called': <Words of={of.tools_called} none="none" />,
          'Calls on their way': count(of.calls_in_flight),
          Begun: <Time at={of.created_at} />,
          'Last used': <Time at={of.last_used_at} />,
        }}
      />
      {of.anchor !== null && (
        <>
          <h2>Anchor: the first request of the user, with secrets masked</h2>
          <pre tabIndex={0}>{of.anchor}</pre>
        </>
      )}
    </>
  );
}
