import type { Command } from 'commander';
import type { CredentialSettings } from '../../src/config/sections/credentials.ts';
import { formatDuration } from '../../src/config/duration.ts';
import { messageOf } from '../../src/errors.ts';
import { nameOf, openSource } from '../../src/provider-credentials/read-source.ts';
import { ExitCode, type Io } from '../command.ts';
import { credentialUsage } from '../credential-usage.ts';
import { shortTime } from '../key-view.ts';
import { loadedConfig } from '../loaded-config.ts';
import { painter, print, table, withOutput, type OutputFormat, type OutputOptions } from '../output.ts';
import { gatewayMetrics } from '../running-gateway.ts';

const NONE =
  'The configuration has no credentials. Add one under credentials (docs/provider-credentials.md).';

/** `gateway credentials …`: the provider credentials that the gateway holds (docs/provider-credentials.md). */
export function registerCredentials(program: Command, io: Io): void {
  const credentials = program
    .command('credentials')
    .description('list and check the provider credentials that the gateway holds');
  withOutput(
    credentials
      .command('list')
      .description(
        'list credentials with their sources, and their last use and failure at the gateway that runs here; never their values',
      ),
  ).action((options: OutputOptions, command: Command) => listCredentials(command, io, options.output));
  withOutput(
    credentials.command('check').description('read every source once, as gateway serve would here'),
  ).action((options: OutputOptions, command: Command) => checkCredentials(command, io, options.output));
}

function configured(command: Command, io: Io): [string, CredentialSettings][] {
  return Object.entries(loadedConfig(command, io).config.credentials);
}

function described(name: string, { provider, from, max_age }: CredentialSettings): Record<string, string> {
  return { credential: name, provider, source: nameOf(from), max_age: formatDuration(max_age) };
}

async function listCredentials(command: Command, io: Io, output: OutputFormat): Promise<void> {
  const { config } = loadedConfig(command, io);
  const usage = credentialUsage(await gatewayMetrics(config));
  const listed = configured(command, io).map(([name, settings]) => ({
    ...described(name, settings),
    ...usage(name),
  }));
  print(io, output, { credentials: listed }, () =>
    shown(
      listed.map(({ state, read_at, last_used_at, last_failed_at, ...row }) => ({
        ...row,
        state: state ?? '–',
        read: shortTime(timeOf(read_at)),
        'last used': shortTime(timeOf(last_used_at)),
        'last failed': shortTime(timeOf(last_failed_at)),
      })),
      io,
    ),
  );
}

function timeOf(written: string | null): number | undefined {
  return written === null ? undefined : Date.parse(written);
}

async function checkCredentials(command: Command, io: Io, output: OutputFormat): Promise<void> {
  const rows = await Promise.all(
    configured(command, io).map(async ([name, settings]) => ({
      ...described(name, settings),
      result: await openSource(settings.from, io.env)
        .then((source) => source.read())
        .then(() => 'ok', messageOf),
    })),
  );
  print(io, output, { credentials: rows }, () => shown(rows, io));
  if (rows.some(({ result }) => result !== 'ok')) throw new ExitCode(1);
}

function shown(rows: readonly Readonly<Record<string, string>>[], io: Io): string {
  const [first] = rows;
  if (first === undefined) return NONE;
  return table(
    Object.keys(first),
    rows.map((row) => Object.values(row)),
    painter(io),
  );
}
