import type { Pin } from '../../checks/mcp-inspector/store.ts';
import type { PageServices } from '../services.ts';
import { iso } from '../views/time.ts';
import { acceptPinBody, pageQuery, pinsQuery } from './bodies.ts';
import { changeRoute } from './change.ts';
import { listPage } from '../survey/page.ts';
import { route, type Route } from './route.ts';
import { acceptedPins, mcpPins, mcpServers, type McpPin, type McpServer } from './schemas/rules.ts';

export function mcpRoutes(services: PageServices): readonly Route[] {
  const { config, operations } = services;
  const { servers, enabled } = config.mcp;
  return [
    route({
      method: 'GET',
      path: '/api/mcp/servers',
      summary: 'MCP servers and their circuits',
      role: 'viewer',
      query: pageQuery,
      answer: mcpServers,
      handle: async ({ query }) => {
        const { items, ...rest } = listPage(servers, query);
        return {
          items: await Promise.all(items.map((server) => serverView(services, server))),
          ...rest,
          enabled,
        };
      },
    }),
    route({
      method: 'GET',
      path: '/api/mcp/pins',
      summary: 'Pinned tool definitions and their changes',
      role: 'viewer',
      query: pinsQuery,
      answer: mcpPins,
      handle: async ({ query: { server, changed, ...page } }) => {
        const names = server === undefined ? servers.map(({ name }) => name) : [server];
        const pins: McpPin[] = [];
        for (const name of names)
          for (const pin of await operations.pins.list(name)) pins.push(pinView(name, pin));
        const shown = pins.filter(
          ({ changed_digest }) => changed === undefined || changed === (changed_digest !== null),
        );
        const { items, ...rest } = listPage(shown, page);
        return { items: await Promise.all(items.map((pin) => withDefinitions(services, pin))), ...rest };
      },
    }),
    changeRoute(services, {
      method: 'POST',
      path: '/api/mcp/pins/{server}/{tool}/accept',
      summary: 'Accept the changed definition of a tool',
      role: 'operator',
      body: acceptPinBody,
      answer: acceptedPins,
      async make({ params: { server = '', tool = '' }, body: { digest } }) {
        const made = await operations.changes.acceptPins({ server, tool, digest });
        return { ...made, result: { server, accepted: made.result.accepted } };
      },
    }),
  ];
}

async function serverView(
  { circuits, operations }: PageServices,
  { name, url }: { readonly name: string; readonly url: string },
): Promise<McpServer> {
  const [circuit, pins, now] = await Promise.all([
    circuits.read({ server: name, keyHash: '' }),
    operations.pins.list(name),
    operations.readClock(),
  ]);
  const { origin, pathname } = new URL(url);
  return {
    name,
    // Without the query, which may contain a credential.
    url: origin + pathname,
    circuit: circuit.kind,
    retry_at: circuit.kind === 'open' ? iso(now + circuit.retryAfterMs) : null,
    pinned_tools: pins.length,
    changed_tools: pins.filter(({ change }) => change !== undefined).length,
  };
}

async function withDefinitions({ definitions }: PageServices, pin: McpPin): Promise<McpPin> {
  if (pin.changed_digest === null) return pin;
  const [definition, changed] = await definitions.read(pin.server, [pin.digest, pin.changed_digest]);
  return { ...pin, definition: definition ?? null, changed_definition: changed ?? null };
}

function pinView(server: string, { tool, digest, pinnedAt, change }: Pin): McpPin {
  return {
    server,
    tool,
    digest,
    pinned_at: iso(pinnedAt),
    changed_digest: change?.digest ?? null,
    changed_at: change === undefined ? null : iso(change.seenAt),
    definition: null,
    changed_definition: null,
  };
}
