import { Option, type Command } from 'commander';
import { recordJson } from '../../src/auth/key-json.ts';
import type { IssuedKey } from '../../src/auth/key-store.ts';
import type { InstructionRole } from '../../src/providers/instructions.ts';
import { formatDuration } from '../../src/config/duration.ts';
import { credentialFault } from '../../src/operator/credential-fault.ts';
import { policySources } from '../../src/policy/policy-files.ts';
import type { RuleOverrides } from '../../src/policy/rule-modes.ts';
import { PROVIDER_NAMES, type ProviderName } from '../../src/providers/registry.ts';
import { allowedList, durationOf, overrideMap, providerList, roleList, tagMap } from '../arguments.ts';
import { UsageError, type Io } from '../command.ts';
import { loadedConfig } from '../loaded-config.ts';
import { auditChange, withOperator, type OperatorOptions } from '../operator-change.ts';
import { registerKeyList } from '../key-list.ts';
import { KEY_ARGUMENT, keyEntries, shortTime, stateJson } from '../key-view.ts';
import {
  listing,
  painter,
  print,
  printable,
  withOutput,
  type OutputFormat,
  type OutputOptions,
} from '../output.ts';
import { gatewaySettings, isRemote, onGateway, onKey } from '../on-gateway.ts';

interface CreateOptions extends OutputOptions, OperatorOptions {
  readonly name: string;
  readonly provider: ProviderName;
  readonly agentName?: string;
  readonly owner?: string;
  readonly allowedTools?: string[];
  readonly allowedProviders?: ProviderName[];
  readonly allowedModels?: string[];
  readonly credentials?: string[];
  readonly trust?: InstructionRole[];
  readonly tags?: Record<string, string>;
  readonly policyOverrides?: RuleOverrides;
  readonly jwtSubject?: string;
  readonly expiresIn?: number;
}

const OVERRIDES_HELP =
  'modes of policy rules for this key: rule=report, rule=off or rule=enforce, comma-separated, or none';

const CREDENTIALS_HELP =
  'provider credentials of the key, by their names in the configuration, comma-separated, or none';

interface UpdateOptions extends OutputOptions {
  readonly policyOverrides?: RuleOverrides;
  readonly credentials?: string[];
}

/** Adds `gateway keys …`, which manages proxy keys (docs/keys.md). */
export function registerKeys(program: Command, io: Io): void {
  const keys = program.command('keys').description('create and manage proxy keys');
  registerCreate(keys, io);
  registerKeyList(keys, io);
  withOutput(
    keys
      .command('show')
      .argument(...KEY_ARGUMENT)
      .description('show a key with its lock, risk and budget'),
  ).action((reference: string, options: OutputOptions, command: Command) =>
    showKey(command, io, reference, options.output),
  );
  withOutput(
    withOperator(keys.command('update').argument(...KEY_ARGUMENT))
      .description("change a key's policy modes or credentials, from its next request on")
      .option('--policy-overrides <list>', OVERRIDES_HELP, overrideMap)
      .option('--credentials <list>', CREDENTIALS_HELP, allowedList('--credentials')),
  ).action((reference: string, options: UpdateOptions, command: Command) =>
    updateKey(command, io, reference, options),
  );
  withOutput(
    withOperator(keys.command('revoke').argument(...KEY_ARGUMENT)).description(
      'revoke a key for good; its next request is refused',
    ),
  ).action((reference: string, options: OutputOptions, command: Command) =>
    revokeKey(command, io, reference, options.output),
  );
  withOutput(
    withOperator(keys.command('rotate').argument(...KEY_ARGUMENT))
      .description('issue a new raw key; budget, risk score and locks stay')
      .addOption(
        new Option('--grace <duration>', 'how long the old raw key stays valid, e.g. 24h')
          .argParser(durationOf('--grace'))
          .default(0, 'the old key stops working immediately'),
      ),
  ).action((reference: string, options: OutputOptions & { readonly grace: number }, command: Command) =>
    rotateKey(command, io, reference, options.grace, options.output),
  );
}

function registerCreate(keys: Command, io: Io): void {
  const create = withOperator(keys.command('create'))
    .description('create a key; the raw key is shown once')
    .requiredOption('--name <name>', 'label of the key')
    .addOption(
      new Option('--provider <provider>', 'provider of the key')
        .choices(PROVIDER_NAMES)
        .makeOptionMandatory(),
    )
    .option('--agent-name <name>', 'agent identity, for policies')
    .option('--owner <owner>', 'owner identity, for policies')
    .option(
      '--allowed-tools <list>',
      'MCP tools that the key may call, comma-separated, or none (default: any)',
      allowedList('--allowed-tools'),
    )
    .option(
      '--allowed-providers <list>',
      'further providers that the key may use, comma-separated, or none (default: none)',
      providerList,
    )
    .option(
      '--allowed-models <list>',
      'models that the key may use, comma-separated globs such as gpt-4o*, or none (default: any)',
      allowedList('--allowed-models'),
    )
    .option(
      '--trust <list>',
      'roles that may instruct the model: system,developer or none (default: policy.trust)',
      roleList,
    )
    .option('--tags <list>', 'key=value pairs, comma-separated', tagMap)
    .option('--credentials <list>', CREDENTIALS_HELP, allowedList('--credentials'))
    .option('--policy-overrides <list>', OVERRIDES_HELP, overrideMap)
    .option('--jwt-subject <subject>', 'subject of the JWTs that may use the key, if zsp is enabled')
    .option(
      '--expires-in <duration>',
      'lifetime of the key, e.g. 30d (default: until revoked)',
      durationOf('--expires-in'),
    )
    .addHelpText(
      'after',
      '\nExample:\n  $ gateway keys create --name planner --provider openai --allowed-models "gpt-4o*" --expires-in 30d\n',
    );
  withOutput(create).action((options: CreateOptions, command: Command) => createKey(command, io, options));
}

async function createKey(command: Command, io: Io, options: CreateOptions): Promise<void> {
  const { output, expiresIn, as: _as, ...key } = options;
  if (expiresIn === 0)
    throw new UsageError('--expires-in must be longer than zero, for example: --expires-in 30d');
  await assertCredentials(command, io, key.credentials);
  await warnOfOverrides(command, io, key.policyOverrides);
  const created = await onGateway(command, io, ({ changes }) =>
    changes.createKey({ ...key, ...(expiresIn === undefined ? {} : { expiresInMs: expiresIn }) }),
  );
  printIssued(
    io,
    output,
    created.result,
    'Save the key now: the gateway does not store it and cannot show it again.',
  );
  await auditChange(command, io, created.record);
}

async function showKey(command: Command, io: Io, reference: string, output: OutputFormat): Promise<void> {
  const { record, state, now } = await onKey(
    command,
    io,
    reference,
    async ({ keyStates, readClock }, keyHash) => ({
      state: await keyStates.readKeyState(keyHash),
      now: await readClock(),
    }),
  );
  const json = { ...recordJson(record, now), ...stateJson(state) };
  print(io, output, json, () => listing(keyEntries(json), painter(io)));
}

async function updateKey(
  command: Command,
  io: Io,
  reference: string,
  { output, policyOverrides, credentials }: UpdateOptions,
): Promise<void> {
  if (policyOverrides === undefined && credentials === undefined)
    throw new UsageError('nothing to change: use --policy-overrides or --credentials');
  await assertCredentials(command, io, credentials);
  await warnOfOverrides(command, io, policyOverrides);
  const { updated, now } = await onGateway(command, io, async ({ changes, readClock }) => ({
    updated: await changes.updateKey({ reference, change: { policyOverrides, credentials } }),
    now: await readClock(),
  }));
  const json = recordJson(updated.result, now);
  print(io, output, json, () => listing(keyEntries(json), painter(io)));
  await auditChange(command, io, updated.record);
}

async function assertCredentials(command: Command, io: Io, names: readonly string[] = []): Promise<void> {
  if (names.length === 0) return;
  const { credentials } = await gatewaySettings(command, io);
  const fault = credentialFault(credentials, names);
  if (fault !== undefined) throw new UsageError(`--credentials: ${fault}`);
}

/** Warns of overrides that match no rule, which the gateway ignores. */
async function warnOfOverrides(command: Command, io: Io, overrides: RuleOverrides = {}): Promise<void> {
  if (Object.keys(overrides).length === 0 || isRemote(command)) return;
  const { unknownOverrides } = await import('../../src/offline-policy.ts');
  const { policy } = loadedConfig(command, io).config;
  for (const problem of await unknownOverrides(policySources(policy), overrides))
    io.stderr.write(`${painter(io, io.stderr)('yellow', 'gateway:')} ${printable(problem)}\n`);
}

async function revokeKey(command: Command, io: Io, reference: string, output: OutputFormat): Promise<void> {
  const revoked = await onGateway(command, io, ({ changes }) => changes.revokeKey({ reference }));
  const { record, wasRevoked } = revoked.result;
  const json = recordJson(record, record.revokedAt ?? record.createdAt);
  const key = `${printable(record.name)} (${record.keyHash})`;
  print(io, output, json, () =>
    wasRevoked
      ? `${key} was already revoked, at ${shortTime(record.revokedAt)} UTC. Nothing changed.`
      : `Revoked ${key}. Its next request is refused.`,
  );
  await auditChange(command, io, revoked.record);
}

async function rotateKey(
  command: Command,
  io: Io,
  reference: string,
  graceMs: number,
  output: OutputFormat,
): Promise<void> {
  const rotated = await onGateway(command, io, ({ changes }) => changes.rotateKey({ reference, graceMs }));
  const { endsAt } = rotated.result;
  const old =
    graceMs === 0
      ? 'The old key has stopped working.'
      : `The old key works until ${shortTime(endsAt)} UTC (${formatDuration(graceMs)} from now).`;
  const note = `${old} Save the new key now: the gateway cannot show it again.`;
  printIssued(io, output, rotated.result, note, { old_key_ends_at: new Date(endsAt).toISOString() });
  await auditChange(command, io, rotated.record);
}

function printIssued(
  io: Io,
  output: OutputFormat,
  { rawKey, record }: IssuedKey,
  note: string,
  more: Readonly<Record<string, unknown>> = {},
): void {
  const json = { key: rawKey, ...recordJson(record, record.createdAt), ...more };
  const paint = painter(io);
  print(io, output, json, () => `${listing(keyEntries(json), paint)}\n\n${paint('yellow', note)}`);
}
