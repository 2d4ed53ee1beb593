import { Option, type Command } from 'commander';

import { operate } from '../../src/operate.ts';
import { ROLES, type Role } from '../../src/operator/sign-in/roles.ts';
import { tokenChange, tokenFault, tokenView } from '../../src/operator/sign-in/tokens.ts';
import { durationOf } from '../arguments.ts';
import { UsageError, withCall, type Call, type Io } from '../command.ts';
import { loadedConfig } from '../loaded-config.ts';
import { auditChange, operatorName, withOperator, type OperatorOptions } from '../operator-change.ts';
import { painter, print, printable, table, withOutput, type OutputOptions } from '../output.ts';

interface CreateOptions extends OutputOptions, OperatorOptions {
  readonly name: string;
  readonly role: Role;
  readonly owner?: string;
  readonly expiresIn: number;
}

const NINETY_DAYS_MS = 90 * 86_400_000;

const NOTES = `
The token is shown only once, because the gateway stores only its digest. Messages go to standard error.

Example:
  $ (umask 077; gateway ui tokens create --name laptop --role operator > ~/.gateway-token)
  $ gateway --server https://gateway-ops.example.com --token-file ~/.gateway-token budget status
`;

/** Adds `gateway ui tokens …`, which manages API tokens for scripts and `gateway --server`. */
export function registerUiTokens(ui: Command, io: Io): void {
  const tokens = ui.command('tokens').description('manage API tokens for scripts and gateway --server');
  withOutput(
    withOperator(tokens.command('create').description('create a token; it is shown once'))
      .requiredOption('--name <name>', 'label of the token, recorded in the audit trail with each change')
      .addOption(
        new Option('--role <role>', 'role of the token').choices(ROLES).default('viewer' satisfies Role),
      )
      .option('--owner <owner>', 'restrict the token to keys of this owner; only with the role viewer')
      .addOption(
        new Option('--expires-in <duration>', 'lifetime, at most 366d')
          .argParser(durationOf('--expires-in'))
          .default(NINETY_DAYS_MS, '90d'),
      )
      .addHelpText('after', NOTES),
  ).action(withCall(io, createToken));
  withOutput(
    tokens.command('list').description('list the tokens that have not expired, oldest first'),
  ).action(withCall(io, listTokens));
  withOutput(
    withOperator(
      tokens.command('revoke').argument('<id>', 'id of the token (see gateway ui tokens list)'),
    ).description('revoke a token; its next request is refused'),
  ).action(withCall(io, revokeToken));
}

async function createToken(call: Call, options: CreateOptions): Promise<void> {
  const { name, role, owner, expiresIn: lifeMs, output, as } = options;
  const wanted = { name, role, owner, lifeMs, createdBy: as ?? operatorName(call) ?? 'unknown' };
  const fault = tokenFault(wanted);
  if (fault !== undefined) throw new UsageError(fault);
  const { config } = loadedConfig(call);
  const { secret, token } = await operate(config, ({ apiTokens }) => apiTokens.create(wanted));
  print(call, { token: tokenView(token), raw_token: secret }, () => secret);
  const ends = new Date(token.expiresAt).toISOString();
  if (output === 'table')
    call.stderr.write(
      `gateway: created the token ${printable(name)} (${token.id}): ${role}, until ${ends}\n`,
    );
  if (!config.ui.enabled)
    call.stderr.write('gateway: the operator page is off; set ui.enabled: true to use the token\n');
  await auditChange(call, tokenChange('create', token));
}

async function listTokens(call: Call): Promise<void> {
  const { config } = loadedConfig(call);
  const found = await operate(config, ({ apiTokens }) => apiTokens.list());
  const shown = found.map(tokenView);
  print(call, { tokens: shown }, () => {
    if (shown.length === 0) return 'No tokens yet. Create one: gateway ui tokens create --name laptop';
    const rows = shown.map((token) => [
      token.id,
      token.name,
      token.owner === null ? token.role : `owner ${token.owner}`,
      token.created_by,
      token.last_used_at ?? 'never',
      token.expires_at,
    ]);
    return table(['ID', 'NAME', 'ROLE', 'CREATED BY', 'LAST USED', 'EXPIRES'], rows, painter(call));
  });
}

async function revokeToken(call: Call, id: string): Promise<void> {
  const { config } = loadedConfig(call);
  const revoked = await operate(config, ({ apiTokens }) => apiTokens.revoke(id));
  if (revoked === undefined)
    throw new Error(`unknown token id "${printable(id)}"; list the tokens with: gateway ui tokens list`);
  print(call, { token: tokenView(revoked) }, () => `The token ${printable(revoked.name)} is revoked.`);
  await auditChange(call, tokenChange('delete', revoked));
}
