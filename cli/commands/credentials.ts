import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Config } from '../../src/config/schema.ts';
import type { CredentialSettings } from '../../src/config/sections/credentials.ts';
import { formatDuration } from '../../src/config/duration.ts';
import { messageOf } from '../../src/errors.ts';
import { operate } from '../../src/operate.ts';
import { nameOf, openSource } from '../../src/provider-credentials/read-source.ts';
import { ExitCode, UsageError, type Io } from '../command.ts';
import { auditChange, withOperator } from '../operator-change.ts';
import { credentialUsage } from '../credential-usage.ts';
import { shortTime } from '../key-view.ts';
import { loadedConfig } from '../loaded-config.ts';
import {
  painter,
  print,
  printable,
  table,
  withOutput,
  type OutputFormat,
  type OutputOptions,
} from '../output.ts';
import { gatewayMetrics } from '../running-gateway.ts';

const NONE =
  'The configuration has no credentials. Add one under credentials (docs/provider-credentials.md).';

/** Adds `gateway credentials …`: provider credentials of the gateway (docs/provider-credentials.md). */
export function registerCredentials(program: Command, io: Io): void {
  const credentials = program
    .command('credentials')
    .description('list, check and rotate the provider credentials that the gateway holds');
  withOutput(
    credentials
      .command('list')
      .description(
        'list credentials with their sources, and their last use and failure at the gateway that runs here; never their values',
      ),
  ).action((options: OutputOptions, command: Command) => listCredentials(command, io, options.output));
  withOutput(
    withOperator(
      credentials
        .command('rotate')
        .description('read the source of a credential again now, at every gateway on this Redis')
        .argument('<credential>', 'its name in the configuration'),
    ),
  ).action((name: string, options: OutputOptions, command: Command) =>
    rotateCredential(name, command, io, options.output),
  );
  withOutput(
    credentials.command('check').description('read every source once, as gateway serve would here'),
  ).action((options: OutputOptions, command: Command) => checkCredentials(command, io, options.output));
}

/** The gateway polls every second, and a source may take ten. */
const OBEYED_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 250;

async function rotateCredential(name: string, command: Command, io: Io, output: OutputFormat): Promise<void> {
  const { config } = loadedConfig(command, io);
  const settings = Object.hasOwn(config.credentials, name) ? config.credentials[name] : undefined;
  if (settings === undefined)
    throw new UsageError(
      `"${printable(name)}" is not in the configuration. gateway credentials list shows those that are`,
    );
  if (settings.from.env !== undefined)
    throw new Error(`${name} comes from the environment of gateway serve: restart it with the new value`);
  const orderedAt = Date.now();
  await operate(config, ({ orderCredentialRead }) => orderCredentialRead(name));
  const here = await readHere(config, name, orderedAt);
  const result = { credential: name, ordered_at: new Date(orderedAt).toISOString(), read_here: here };
  print(io, output, result, () => ROTATED[here](name));
  await auditChange(command, io, {
    activity: 'update',
    operation: 'credentials rotate',
    fields: { credential: name },
  });
  if (here === 'failed') throw new ExitCode(1);
}

type ReadHere = 'read' | 'failed' | 'no_gateway';

const ROTATED: Readonly<Record<ReadHere, (name: string) => string>> = {
  read: (name) => `${name}: read again here, and by every gateway on this Redis within seconds`,
  failed: (name) =>
    `${name}: its source could not be read here; its last value stays in use. The log names the reason`,
  no_gateway: (name) => `${name}: every gateway on this Redis reads it again within seconds; none runs here`,
};

/** Waits until the local gateway has read the source. */
async function readHere(config: Config, name: string, orderedAt: number): Promise<ReadHere> {
  for (let waitedMs = 0; waitedMs < OBEYED_WITHIN_MS; waitedMs += LOOK_EVERY_MS) {
    const metrics = await gatewayMetrics(config);
    const { state, read_at, failed_at } = credentialUsage(metrics)(name);
    if (state === null) return 'no_gateway';
    if ((timeOf(read_at) ?? 0) >= orderedAt) return 'read';
    if ((timeOf(failed_at) ?? 0) >= orderedAt) return 'failed';
    await delay(LOOK_EVERY_MS);
  }
  return 'failed';
}

function configured(command: Command, io: Io): [string, CredentialSettings][] {
  return Object.entries(loadedConfig(command, io).config.credentials);
}

function described(name: string, { provider, from, max_age }: CredentialSettings) {
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
      listed.map(({ credential, provider, source, max_age, ...used }) => ({
        ...{ credential, provider, source, max_age, state: used.state ?? '–' },
        read: shortTime(timeOf(used.read_at)),
        'last used': shortTime(timeOf(used.last_used_at)),
        'last failed': shortTime(timeOf(used.last_failed_at)),
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
