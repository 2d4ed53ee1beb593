import type { Command } from 'commander';

import type { Pin } from '../../src/checks/mcp-inspector/store.ts';
import type { Operations } from '../../src/operator/operations.ts';
import { UsageError, withCall, type Call, type Io } from '../command.ts';
import { gatewaySettings, onGateway } from '../on-gateway.ts';
import { auditChange, withOperator } from '../operator-change.ts';
import { painter, print, printable, table, withOutput, type OutputOptions } from '../output.ts';

interface AcceptOptions extends OutputOptions {
  readonly digest?: string;
}

/** Number of digest digits shown: enough to identify a definition for `accept`. */
const SHOWN_DIGEST_CHARS = 16;

type ServerPin = Pin & { readonly server: string };

/** Adds `gateway mcp …`, which reviews pinned tools of MCP servers (docs/mcp-tools.md). */
export function registerMcp(program: Command, io: Io): void {
  const mcp = program.command('mcp').description('review tool definitions of MCP servers');
  const pins = mcp.command('pins').description('show and accept pinned tool definitions');
  withOutput(
    pins
      .command('list')
      .argument('[server]', 'name of the server in mcp.servers (default: all servers)')
      .description('list pinned tools, and which of them have changed'),
  ).action(withCall(io, listPins));
  withOutput(
    withOperator(pins.command('accept'))
      .argument('<server>', 'name of the server in mcp.servers')
      .argument('[tool]', 'one tool (default: all changed tools)')
      .description('accept the changed definition of a tool, or of all tools of a server')
      .option('--digest <start>', 'accept only a definition with this digest or digest prefix'),
  ).action(withCall(io, acceptPins));
}

async function listPins(call: Call, server: string | undefined): Promise<void> {
  const servers = server === undefined ? (await gatewaySettings(call)).mcpServers : [server];
  const pins = await onGateway(call, (operations) => pinsOf(operations, servers));
  print(call, { pins: pins.map(pinJson) }, () => {
    if (pins.length === 0)
      return 'No tools are pinned yet. If mcp.enabled is true, a tool is pinned when a client first lists it.';
    const rows = pins.map((pin) => [pin.server, pin.tool, timeToSecond(pin.pinnedAt), ...changeOf(pin)]);
    return table(['SERVER', 'TOOL', 'PINNED (UTC)', 'CHANGED (UTC)', 'NEW DIGEST'], rows, painter(call));
  });
}

async function pinsOf({ pins }: Operations, servers: readonly string[]): Promise<readonly ServerPin[]> {
  const all: ServerPin[] = [];
  for (const server of servers) all.push(...(await pins.list(server)).map((pin) => ({ ...pin, server })));
  return all;
}

async function acceptPins(
  call: Call,
  server: string,
  tool: string | undefined,
  { digest }: AcceptOptions,
): Promise<void> {
  if (digest !== undefined && tool === undefined)
    throw new UsageError('--digest needs a tool: gateway mcp pins accept <server> <tool> --digest <start>');
  const change = await onGateway(call, ({ changes }) => changes.acceptPins({ server, tool, digest }));
  const { accepted } = change.result;
  print(call, { server, accepted }, () => {
    if (accepted.length > 0) {
      return `Accepted: ${accepted.map((pin) => `${printable(pin.tool)} (${pin.digest})`).join(', ')}`;
    }
    return tool === undefined
      ? `No tool on ${printable(server)} has changed.`
      : `${printable(tool)} on ${printable(server)} has not changed.`;
  });
  await auditChange(call, change.record);
}

function pinJson({ server, tool, digest, pinnedAt, change }: ServerPin): Record<string, unknown> {
  return {
    server,
    tool,
    digest,
    pinned_at: new Date(pinnedAt).toISOString(),
    changed_digest: change?.digest ?? null,
    changed_at: change === undefined ? null : new Date(change.seenAt).toISOString(),
  };
}

function changeOf({ change }: Pin): readonly [when: string, to: string] {
  return change === undefined
    ? ['-', '-']
    : [timeToSecond(change.seenAt), change.digest.slice(0, SHOWN_DIGEST_CHARS)];
}

function timeToSecond(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 19).replace('T', ' ');
}
