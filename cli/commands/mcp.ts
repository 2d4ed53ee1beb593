import type { Command } from 'commander';
import type { Pin } from '../../src/checks/mcp-inspector/pins.ts';
import { operate } from '../../src/operate.ts';
import type { Operations } from '../../src/operate.ts';
import { loadedConfig } from '../command.ts';
import type { Io } from '../command.ts';
import { painter, print, printable, table, withOutput } from '../output.ts';
import type { OutputFormat } from '../output.ts';
import { recordChange } from '../record-change.ts';

interface OutputOptions {
  readonly output: OutputFormat;
}

type ServerPin = Pin & { readonly server: string };

/** `gateway mcp …`: what is remembered of MCP servers (DECISIONS "MCP"). */
export function registerMcp(program: Command, io: Io): void {
  const mcp = program.command('mcp').description('look after MCP servers');
  const pins = mcp.command('pins').description('definitions of tools, as they were first seen');
  withOutput(
    pins.command('list [server]').description('list pinned tools and those that have changed since'),
  ).action((server: string | undefined, options: OutputOptions, command: Command) =>
    listPins(command, io, server, options.output),
  );
  withOutput(
    pins
      .command('accept <server> [tool]')
      .description('take the changed definition of a tool, or of all tools of a server, for the right one'),
  ).action((server: string, tool: string | undefined, options: OutputOptions, command: Command) =>
    acceptPins(command, io, { server, tool }, options.output),
  );
}

async function listPins(
  command: Command,
  io: Io,
  server: string | undefined,
  output: OutputFormat,
): Promise<void> {
  const { config } = loadedConfig(command, io);
  const servers = server === undefined ? config.mcp.servers.map(({ name }) => name) : [server];
  const pins = await operate(config, (operations) => pinsOf(operations, servers));
  print(io, output, pins.map(pinJson), () => {
    if (pins.length === 0) return 'No tool is pinned.';
    const rows = pins.map((pin) => [pin.server, pin.tool, shortTime(pin.pinnedAt), changeOf(pin)]);
    return table(['SERVER', 'TOOL', 'PINNED (UTC)', 'CHANGED (UTC)'], rows, painter(io));
  });
}

async function pinsOf({ pins }: Operations, servers: readonly string[]): Promise<readonly ServerPin[]> {
  const all: ServerPin[] = [];
  for (const server of servers) all.push(...(await pins.list(server)).map((pin) => ({ ...pin, server })));
  return all;
}

async function acceptPins(
  command: Command,
  io: Io,
  { server, tool }: { readonly server: string; readonly tool: string | undefined },
  output: OutputFormat,
): Promise<void> {
  const { config } = loadedConfig(command, io);
  const accepted = await operate(config, ({ pins }) => pins.accept(server, tool));
  if (accepted.length > 0) recordChange(io, 'tool definitions accepted', { server, tools: accepted });
  print(io, output, { server, accepted }, () => {
    if (accepted.length > 0) return `Accepted: ${accepted.map(printable).join(', ')}`;
    return tool === undefined
      ? `No tool of ${printable(server)} has changed.`
      : `${printable(tool)} of ${printable(server)} has not changed.`;
  });
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

function changeOf({ change }: Pin): string {
  return change === undefined ? '-' : shortTime(change.seenAt);
}

function shortTime(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 19).replace('T', ' ');
}
