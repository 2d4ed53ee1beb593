import type { Session, SessionDetails } from '../../src/operator/api/schemas/keys.ts';
import { withQuery } from '../api.ts';
import { count, usd } from '../format.ts';
import { useLoaded } from '../loaded.ts';
import { Answer } from '../parts/answer.tsx';
import { Facts, Heading, Time, Words } from '../parts/basics.tsx';
import { Changes, useChange } from '../parts/change.tsx';
import { KeyLink } from '../parts/decision-rows.tsx';
import { Field, Filters } from '../parts/field.tsx';
import { PagedList, usePaged } from '../parts/paged.tsx';
import { Table, type Column } from '../parts/table.tsx';
import { href, route, useChosen } from '../route.ts';

const EVERY_MS = 5_000;

const COLUMNS: readonly Column<Session>[] = [
  { title: 'Session', cell: ({ id, key_hash: key }) => <a href={href('sessions', id, { key })}>{id}</a> },
  { title: 'Key', cell: ({ key_name: name, key_hash: hash }) => <KeyLink name={name} hash={hash} /> },
  { title: 'Owner', cell: ({ owner }) => owner },
  { title: 'Steps', isNumber: true, cell: steps },
  { title: 'Spent', isNumber: true, cell: spent },
  { title: 'State', cell: ({ state }) => state },
  { title: 'Taints', cell: ({ taint_flags: flags }) => <Words words={flags} none="none" /> },
  { title: 'Last used', cell: ({ last_used_at: at }) => <Time at={at} /> },
];

function steps({ steps: done, max_steps: max }: Session): string {
  return max === null ? count(done) : `${count(done)} of ${count(max)}`;
}

function spent({ spend_usd: done, budget_usd: budget }: Session): string {
  return budget === null ? usd(done) : `${usd(done)} of ${usd(budget)}`;
}

export function Sessions() {
  const { chosen, choose } = useChosen({ key: '' });
  const sessions = usePaged<Session>('/api/sessions', chosen, EVERY_MS);
  return (
    <>
      <Heading>Sessions</Heading>
      <Filters>
        <Field label="Key" hint="name or hash" value={chosen.key} onTyped={(key) => choose({ key })} />
      </Filters>
      <PagedList
        paged={sessions}
        empty={
          <>
            There are no sessions. A client starts one with the <code>X-Gateway-Session-Id</code> header.
          </>
        }
      >
        {(items) => (
          <Table
            caption="Sessions"
            columns={COLUMNS}
            rows={items}
            rowKey={({ key_hash: hash, id }) => `${hash} ${id}`}
          />
        )}
      </PagedList>
    </>
  );
}

export function OneSession({ id }: { readonly id: string }) {
  const key = route.value.query.get('key') ?? '';
  const path = `/api/sessions/${encodeURIComponent(id)}`;
  const session = useLoaded<SessionDetails>(withQuery(path, { key }), EVERY_MS);
  const { ask, dialog } = useChange();
  function end(): void {
    ask<{ readonly changed: boolean }>({
      title: 'End the session',
      consequence:
        'The session loses its steps, taints and state. The next request with its id starts a new session. This cannot be undone.',
      verb: 'End',
      isDangerous: true,
      path: `${path}/end`,
      body: () => ({ key }),
      doneText: ({ changed }) => (changed ? 'The session has ended.' : 'The session had already ended.'),
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
      <Answer loaded={session}>
        {(data) => (
          <>
            <Changes role="operator">
              <button type="button" class="danger" onClick={end}>
                End the session
              </button>
            </Changes>
            <Shown session={data} />
          </>
        )}
      </Answer>
      {dialog}
    </>
  );
}

function Shown({ session }: { readonly session: SessionDetails }) {
  return (
    <>
      <Facts
        facts={{
          Key: <KeyLink name={session.key_name} hash={session.key_hash} />,
          Owner: session.owner,
          Steps: steps(session),
          Spent: spent(session),
          State: session.state,
          Taints: <Words words={session.taint_flags} none="none" />,
          Marks: <Words words={session.marks} none="none" />,
          'Tools called': <Words words={session.tools_called} none="none" />,
          'Calls in progress': count(session.calls_in_flight),
          Created: <Time at={session.created_at} />,
          'Last used': <Time at={session.last_used_at} />,
        }}
      />
      {session.anchor !== null && (
        <>
          <h2>Anchor: the first user request, with secrets masked</h2>
          <pre tabIndex={0}>{session.anchor}</pre>
        </>
      )}
    </>
  );
}
