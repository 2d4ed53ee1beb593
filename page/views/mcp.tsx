import type { AcceptedPins, McpPin, McpServer } from '../../src/operator/api/schemas/rules.ts';
import { difference, readableJson } from '../difference.ts';
import { count, shortId } from '../format.ts';
import { useLoaded } from '../loaded.ts';
import { Answer } from '../parts/answer.tsx';
import { Badge, Empty, Facts, Heading, Time } from '../parts/basics.tsx';
import { Changes, useChange } from '../parts/change.tsx';
import { PagedList, Pager, usePaged } from '../parts/paged.tsx';
import { Table, type Column } from '../parts/table.tsx';

const EVERY_MS = 10_000;

const COLUMNS: readonly Column<McpServer>[] = [
  { title: 'Server', cell: ({ name }) => name },
  { title: 'URL', cell: ({ url }) => url },
  {
    title: 'Circuit',
    cell: ({ circuit }) => <Badge tone={circuit === 'closed' ? 'good' : 'bad'}>{circuit}</Badge>,
  },
  { title: 'Next attempt', cell: ({ retry_at: at }) => at && <Time at={at} /> },
  { title: 'Pinned tools', isNumber: true, cell: ({ pinned_tools: pinned }) => count(pinned) },
  { title: 'Changed', isNumber: true, cell: ({ changed_tools: changed }) => count(changed) },
];

export function Mcp() {
  const servers = useLoaded<{ readonly items: readonly McpServer[]; readonly enabled: boolean }>(
    '/api/mcp/servers?limit=200',
    EVERY_MS,
  );
  return (
    <>
      <Heading>MCP</Heading>
      <Answer loaded={servers}>
        {({ items, enabled }) =>
          !enabled || items.length === 0 ? (
            <Empty>
              No MCP server is configured. Set <code>mcp.enabled: true</code> and list servers in{' '}
              <code>mcp.servers</code>.
            </Empty>
          ) : (
            <>
              <Table caption="MCP servers" columns={COLUMNS} rows={items} rowKey={({ name }) => name} />
              <Changed onAccepted={servers.reload} />
              <Pinned />
            </>
          )
        }
      </Answer>
    </>
  );
}

function Changed({ onAccepted }: { readonly onAccepted: () => void }) {
  const pins = usePaged<McpPin>('/api/mcp/pins', { changed: true, limit: 20 }, EVERY_MS);
  return (
    <>
      <h2>Changed definitions</h2>
      <Answer loaded={pins}>
        {({ items }) =>
          items.length === 0 ? (
            <p>No pinned tool has changed.</p>
          ) : (
            items.map((pin) => (
              <ChangedPin
                key={`${pin.server} ${pin.tool}`}
                pin={pin}
                onAccepted={() => {
                  pins.reload();
                  onAccepted();
                }}
              />
            ))
          )
        }
      </Answer>
      <Pager paged={pins} label="Pages of changed definitions" />
    </>
  );
}

function ChangedPin({ pin, onAccepted }: { readonly pin: McpPin; readonly onAccepted: () => void }) {
  const { ask, dialog } = useChange();
  const { server, tool, changed_digest: digest } = pin;
  function accept(): void {
    ask<AcceptedPins>({
      title: `Accept ${tool} on ${server}`,
      consequence:
        'The definition below is pinned, and agents can see and call the tool again. If it has changed since, nothing is accepted.',
      verb: 'Accept',
      path: `/api/mcp/pins/${encodeURIComponent(server)}/${encodeURIComponent(tool)}/accept`,
      body: () => ({ digest }),
      doneText: () => `Accepted ${tool} on ${server}.`,
      onDone: onAccepted,
    });
  }
  return (
    <article class="card diff" aria-label={`${tool} on ${server}`}>
      <h3>
        {tool} <span class="muted">on {server}</span>
      </h3>
      <Facts
        facts={{
          Pinned: <Time at={pin.pinned_at} />,
          Changed: pin.changed_at && <Time at={pin.changed_at} />,
          Digest: (
            <>
              <code>{shortId(pin.digest)}</code> → <code>{shortId(digest ?? '')}</code>
            </>
          ),
        }}
      />
      <Difference pin={pin} />
      <Changes role="operator">
        <button type="button" class="primary" onClick={accept}>
          Accept this definition
        </button>
      </Changes>
      {dialog}
    </article>
  );
}

function Difference({ pin: { definition, changed_definition: changed } }: { readonly pin: McpPin }) {
  if (definition === null || changed === null) {
    return <p>The definitions are not stored. Compare them on the server before you accept.</p>;
  }
  const lines = difference(readableJson(definition), readableJson(changed));
  return (
    <pre tabIndex={0} aria-label="Changes: a minus marks removed lines, a plus added lines">
      {lines.map(({ kind, text }, at) => {
        if (kind === 'removed') return <del key={at}>- {text}</del>;
        if (kind === 'added') return <ins key={at}>+ {text}</ins>;
        return `  ${text}\n`;
      })}
    </pre>
  );
}

function Pinned() {
  const pins = usePaged<McpPin>('/api/mcp/pins', {});
  return (
    <>
      <h2>Pinned tools</h2>
      <PagedList
        paged={pins}
        label="Pages of pinned tools"
        empty="No tool is pinned yet. Tools are pinned when a client first lists a server's tools."
      >
        {(items) => (
          <Table
            caption="Pinned tools"
            rows={items}
            rowKey={({ server, tool }) => `${server} ${tool}`}
            columns={[
              { title: 'Server', cell: ({ server }) => server },
              { title: 'Tool', cell: ({ tool }) => tool },
              { title: 'Digest', cell: ({ digest }) => <code>{shortId(digest)}</code> },
              { title: 'Pinned', cell: ({ pinned_at: at }) => <Time at={at} /> },
              {
                title: 'State',
                cell: ({ changed_digest: changed }) =>
                  changed === null ? (
                    <Badge tone="good">unchanged</Badge>
                  ) : (
                    <Badge tone="warn">changed</Badge>
                  ),
              },
            ]}
          />
        )}
      </PagedList>
    </>
  );
}
