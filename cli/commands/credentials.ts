import { setTimeout as delay } from 'node:timers/promises';

import type { Command } from 'commander';

import { formatDuration } from '../../src/config/duration.ts';
import type { Config } from '../../src/config/schema.ts';
import type { CredentialSettings } from '../../src/config/sections/credentials.ts';
import { messageOf } from '../../src/errors.ts';
import { operate } from '../../src/operate.ts';
import { nameOf, openSource } from '../../src/provider-credentials/read-source.ts';
import { ExitCode, UsageError, withCall, type Call, type Io } from '../command.ts';
import { shortTime } from '../key-view.ts';
import { loadedConfig } from '../loaded-config.ts';
import { auditChange, withOperator } from '../operator-change.ts';
import { painter, print, printable, table, withOutput } from '../output.ts';
import { gatewayMetrics, readSeries } from '../running-gateway.ts';

const NONE =
  'The configuration has no credentials. Add one under credentials (docs/provider-credentials.md).';

/** Adds `gateway credentials …`, which manages the gateway's provider credentials (docs/provider-credentials.md). */
export function registerCredentials(program: Command, io: Io): void {
  const credentials = program
    .command('credentials')
    .description('list, check and rotate the provider credentials that the gateway manages');
  withOutput(
    credentials
      .command('list')
      .description(
        'list credentials, without their values: source, last use and last failure on this machine',
      ),
  ).action(withCall(io, listCredentials));
  withOutput(
    withOperator(
      credentials
        .command('rotate')
        .description('make all gateways on this Redis reload a credential from its source immediately')
        .argument('<credential>', 'name of the credential in the configuration'),
    ),
  ).action(withCall(io, rotateCredential));
  withOutput(
    credentials
      .command('check')
      .description('read every source once, as `gateway serve` would on this machine'),
  ).action(withCall(io, checkCredentials));
}

/** Maximum wait. The gateway polls every second, and reading a source may take ten seconds. */
const READ_WITHIN_MS = 15_000;
const POLL_EVERY_MS = 250;

async function rotateCredential(call: Call, name: string): Promise<void> {
  const { config } = loadedConfig(call);
  const settings = Object.hasOwn(config.credentials, name) ? config.credentials[name] : undefined;
  if (settings === undefined)
    throw new UsageError(`"${printable(name)}" is not in the configuration. See gateway credentials list`);
  if (settings.from.env !== undefined)
    throw new Error(
      `${name} is set in the environment of gateway serve: restart the gateway with the new value`,
    );
  const orderedAt = Date.now();
  await operate(config, ({ orderCredentialRead }) => orderCredentialRead(name));
  const here = await readHere(config, name, orderedAt);
  const result = { credential: name, ordered_at: new Date(orderedAt).toISOString(), read_here: here };
  print(call, result, () => ROTATED[here](name));
  await auditChange(call, {
    activity: 'update',
    operation: 'credentials rotate',
    fields: { credential: name },
  });
  if (here === 'failed') throw new ExitCode(1);
}

type ReadHere = 'read' | 'failed' | 'no_gateway';

const ROTATED: Readonly<Record<ReadHere, (name: string) => string>> = {
  read: (name) => `${name}: read again here; every other gateway on this Redis follows within seconds`,
  failed: (name) =>
    `${name}: its source could not be read here, and its last value stays in use; the log has the reason`,
  no_gateway: (name) =>
    `${name}: every gateway on this Redis reads it again within seconds; no gateway is running here`,
};

/** Waits until the local gateway has tried to read the source. */
async function readHere(config: Config, name: string, orderedAt: number): Promise<ReadHere> {
  for (let waitedMs = 0; waitedMs < READ_WITHIN_MS; waitedMs += POLL_EVERY_MS) {
    const metrics = await gatewayMetrics(config);
    const { state, read_at, failed_at } = credentialUsage(metrics)(name);
    if (state === null) return 'no_gateway';
    if ((timeOf(read_at) ?? 0) >= orderedAt) return 'read';
    if ((timeOf(failed_at) ?? 0) >= orderedAt) return 'failed';
    await delay(POLL_EVERY_MS);
  }
  return 'failed';
}

function configured(call: Call): [string, CredentialSettings][] {
  return Object.entries(loadedConfig(call).config.credentials);
}

function described(name: string, { provider, from, max_age }: CredentialSettings) {
  return { credential: name, provider, source: nameOf(from), max_age: formatDuration(max_age) };
}

async function listCredentials(call: Call): Promise<void> {
  const { config } = loadedConfig(call);
  const usage = credentialUsage(await gatewayMetrics(config));
  const listed = configured(call).map(([name, settings]) => ({
    ...described(name, settings),
    ...usage(name),
  }));
  print(call, { credentials: listed }, () =>
    shown(
      listed.map(({ credential, provider, source, max_age, ...used }) => ({
        ...{ credential, provider, source, max_age, state: used.state ?? '–' },
        read: shortTime(timeOf(used.read_at)),
        'last used': shortTime(timeOf(used.last_used_at)),
        'last failed': shortTime(timeOf(used.last_failed_at)),
      })),
      call,
    ),
  );
}

function timeOf(text: string | null): number | undefined {
  return text === null ? undefined : Date.parse(text);
}

async function checkCredentials(call: Call): Promise<void> {
  const rows = await Promise.all(
    configured(call).map(async ([name, settings]) => ({
      ...described(name, settings),
      result: await openSource(settings.from, call.env)
        .then((source) => source.read())
        .then(() => 'ok', messageOf),
    })),
  );
  print(call, { credentials: rows }, () => shown(rows, call));
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

/** Credential state on the local gateway. Times are in ISO 8601; null means never, or that no gateway runs here. */
interface CredentialUsage {
  readonly state: 'usable' | 'failing' | 'unusable' | null;
  /** Last time that the source returned a value. */
  readonly read_at: string | null;
  /** Last time that the source returned no value. */
  readonly failed_at: string | null;
  /** Last time that a provider accepted the credential. */
  readonly last_used_at: string | null;
  /** Last time that the source failed or a provider refused the credential. */
  readonly last_failed_at: string | null;
}

/** @param metrics the gateway's metrics as Prometheus text; undefined if no gateway runs here */
function credentialUsage(metrics: string | undefined): (credential: string) => CredentialUsage {
  const text = metrics ?? '';
  function valueOf(metric: string, credential: string, outcome?: string): number | undefined {
    const found = readSeries(text, `gateway_credential_${metric}`).find(
      ({ labels }) => labels['credential'] === credential && labels['outcome'] === outcome,
    );
    return found?.value;
  }
  return (name) => {
    const failed = [
      valueOf('failed_timestamp_seconds', name),
      valueOf('answered_timestamp_seconds', name, 'refused'),
    ].map((seconds) => seconds ?? 0);
    const usable = valueOf('usable', name);
    const isFailing = valueOf('failing', name) === 1;
    return {
      state: usable === undefined ? null : usable === 0 ? 'unusable' : isFailing ? 'failing' : 'usable',
      failed_at: timeAt(valueOf('failed_timestamp_seconds', name)),
      read_at: timeAt(valueOf('read_timestamp_seconds', name)),
      last_used_at: timeAt(valueOf('answered_timestamp_seconds', name, 'accepted')),
      last_failed_at: timeAt(Math.max(...failed)),
    };
  };
}

function timeAt(seconds = 0): string | null {
  return seconds === 0 ? null : new Date(seconds * 1_000).toISOString();
}
