import { Option, type Command } from 'commander';

import { recordJson } from '../../src/auth/key-json.ts';
import type { IssuedKey } from '../../src/auth/key-store.ts';
import { formatDuration } from '../../src/config/duration.ts';
import { credentialFault } from '../../src/operator/credential-fault.ts';
import { policySources } from '../../src/policy/policy-files.ts';
import type { RuleOverrides } from '../../src/policy/rule-modes.ts';
import type { InstructionRole } from '../../src/providers/instructions.ts';
import { PROVIDER_NAMES, type ProviderName } from '../../src/providers/registry.ts';
import { allowedList, durationOf, overrideMap, providerList, roleList, tagMap } from '../arguments.ts';
import { UsageError, withCall, type Call, type Io } from '../command.ts';
import { registerKeyList } from '../key-list.ts';
import { KEY_ARGUMENT, keyEntries, shortTime, stateJson } from '../key-view.ts';
import { loadedConfig } from '../loaded-config.ts';
import { gatewaySettings, isRemote, onGateway, onKey } from '../on-gateway.ts';
import { auditChange, withOperator, type OperatorOptions } from '../operator-change.ts';
import { listing, painter, print, printable, withOutput, type OutputOptions } from '../output.ts';

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

const CREDENTIALS_HELP = 'names of provider credentials in the configuration, comma-separated, or none';

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
  ).action(withCall(io, showKey));
  withOutput(
    withOperator(keys.command('update').argument(...KEY_ARGUMENT))
      .description("change a key's rule modes or credentials; takes effect with its next request")
      .option('--policy-overrides <list>', OVERRIDES_HELP, overrideMap)
      .option('--credentials <list>', CREDENTIALS_HELP, allowedList('--credentials')),
  ).action(withCall(io, updateKey));
  withOutput(
    withOperator(keys.command('revoke').argument(...KEY_ARGUMENT)).description(
      'revoke a key for good; its next request is refused',
    ),
  ).action(withCall(io, revokeKey));
  withOutput(
    withOperator(keys.command('rotate').argument(...KEY_ARGUMENT))
      .description('issue a new raw key; budget, risk score and locks are kept')
      .addOption(
        new Option('--grace <duration>', 'how long the old raw key stays valid, e.g. 24h')
          .argParser(durationOf('--grace'))
          .default(0, 'the old key stops working immediately'),
      ),
  ).action(withCall(io, rotateKey));
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
  withOutput(create).action(withCall(io, createKey));
}

async function createKey(call: Call, options: CreateOptions): Promise<void> {
  const { output: _output, expiresIn, as: _as, reason: _reason, ...key } = options;
  if (expiresIn === 0)
    throw new UsageError('--expires-in must be longer than zero, for example: --expires-in 30d');
  await assertCredentials(call, key.credentials);
  await warnOfOverrides(call, key.policyOverrides);
  const created = await onGateway(call, ({ changes }) =>
    changes.createKey({ ...key, ...(expiresIn === undefined ? {} : { expiresInMs: expiresIn }) }),
  );
  printIssued(
    call,
    created.result,
    'Save the key now: the gateway does not store it and cannot show it again.',
  );
  await auditChange(call, created.record);
}

async function showKey(call: Call, reference: string): Promise<void> {
  const { record, state, now } = await onKey(call, reference, async ({ keyStates, readClock }, keyHash) => ({
    state: await keyStates.readKeyState(keyHash),
    now: await readClock(),
  }));
  const json = { ...recordJson(record, now), ...stateJson(state) };
  print(call, json, () => listing(keyEntries(json), painter(call)));
}

async function updateKey(
  call: Call,
  reference: string,
  { policyOverrides, credentials }: UpdateOptions,
): Promise<void> {
  if (policyOverrides === undefined && credentials === undefined)
    throw new UsageError('nothing to change: use --policy-overrides or --credentials');
  await assertCredentials(call, credentials);
  await warnOfOverrides(call, policyOverrides);
  const { updated, now } = await onGateway(call, async ({ changes, readClock }) => ({
    updated: await changes.updateKey({ reference, change: { policyOverrides, credentials } }),
    now: await readClock(),
  }));
  const json = recordJson(updated.result, now);
  print(call, json, () => listing(keyEntries(json), painter(call)));
  await auditChange(call, updated.record);
}

async function assertCredentials(call: Call, names: readonly string[] = []): Promise<void> {
  if (names.length === 0) return;
  const { credentials } = await gatewaySettings(call);
  const fault = credentialFault(credentials, names);
  if (fault !== undefined) throw new UsageError(`--credentials: ${fault}`);
}

/** Warns about overrides that match no rule, which the gateway ignores. Does nothing with `--server`. */
async function warnOfOverrides(call: Call, overrides: RuleOverrides = {}): Promise<void> {
  if (Object.keys(overrides).length === 0 || isRemote(call)) return;
  const { unknownOverrides } = await import('../../src/offline-policy.ts');
  const { policy } = loadedConfig(call).config;
  for (const problem of await unknownOverrides(policySources(policy), overrides))
    call.stderr.write(`${painter(call, call.stderr)('yellow', 'gateway:')} ${printable(problem)}\n`);
}

async function revokeKey(call: Call, reference: string): Promise<void> {
  const revoked = await onGateway(call, ({ changes }) => changes.revokeKey({ reference }));
  const { record, wasRevoked } = revoked.result;
  const json = recordJson(record, record.revokedAt ?? record.createdAt);
  const key = `${printable(record.name)} (${record.keyHash})`;
  print(call, json, () =>
    wasRevoked
      ? `${key} was already revoked, at ${shortTime(record.revokedAt)} UTC. Nothing changed.`
      : `Revoked ${key}. Its next request is refused.`,
  );
  await auditChange(call, revoked.record);
}

async function rotateKey(
  call: Call,
  reference: string,
  { grace: graceMs }: { readonly grace: number },
): Promise<void> {
  const rotated = await onGateway(call, ({ changes }) => changes.rotateKey({ reference, graceMs }));
  const { endsAt } = rotated.result;
  const old =
    graceMs === 0
      ? 'The old key has stopped working.'
      : `The old key works until ${shortTime(endsAt)} UTC (${formatDuration(graceMs)} from now).`;
  const note = `${old} Save the new key now: the gateway cannot show it again.`;
  printIssued(call, rotated.result, note, { old_key_ends_at: new Date(endsAt).toISOString() });
  await auditChange(call, rotated.record);
}

function printIssued(
  call: Call,
  { rawKey, record }: IssuedKey,
  note: string,
  more: Readonly<Record<string, unknown>> = {},
): void {
  const json = { key: rawKey, ...recordJson(record, record.createdAt), ...more };
  const paint = painter(call);
  print(call, json, () => `${listing(keyEntries(json), paint)}\n\n${paint('yellow', note)}`);
}
