import { createInterface } from 'node:readline/promises';

import type { Command } from 'commander';

import { operate } from '../../src/operate.ts';
import { PASSWORD_CHARS } from '../../src/operator/sign-in/password-store.ts';
import { UsageError, withCall, type Call, type Io } from '../command.ts';
import { loadedConfig } from '../loaded-config.ts';
import { auditChange, withOperator } from '../operator-change.ts';
import { registerUiTokens } from './ui-tokens.ts';

const NOTES = `
On a terminal, asks for the password twice; otherwise reads one line from standard input. The page accepts a password
only on loopback addresses (docs/operator-page.md). A new password ends the sessions of the old one.

Examples:
  $ gateway ui password
  $ openssl rand -base64 24 | tee page-password | gateway ui password
`;

/** Adds `gateway ui …`, which sets up the operator page (docs/operator-page.md). */
export function registerUi(program: Command, io: Io): void {
  const ui = program.command('ui').description('set up access to the operator page');
  withOperator(ui.command('password').description('set the operator page password'))
    .addHelpText('after', NOTES)
    .action(withCall(io, setPassword));
  registerUiTokens(ui, io);
}

async function setPassword(call: Call): Promise<void> {
  const password = call.stdin.isTTY ? await askTwice(call) : await firstLine(call);
  const length = [...password].length;
  if (length < PASSWORD_CHARS.min || length > PASSWORD_CHARS.max)
    throw new UsageError(
      `the password must have ${String(PASSWORD_CHARS.min)} to ${String(PASSWORD_CHARS.max)} characters`,
    );
  const { config } = loadedConfig(call);
  await operate(config, ({ pagePassword }) => pagePassword.set(password));
  call.stdout.write('The operator page password is set. Sessions of the old password have ended.\n');
  if (!config.ui.enabled)
    call.stderr.write('gateway: the operator page is off; set ui.enabled: true to use it\n');
  await auditChange(call, { activity: 'update', operation: 'ui password', fields: {} });
}

async function askTwice(io: Io): Promise<string> {
  const { password, isCancel } = await import('@clack/prompts');
  const terminal = { input: io.stdin, output: io.stdout as NodeJS.WriteStream };
  const first = await password({ ...terminal, message: 'Operator page password' });
  const again = isCancel(first) ? first : await password({ ...terminal, message: 'Repeat the password' });
  if (isCancel(first) || isCancel(again)) throw new UsageError('cancelled: the password is unchanged');
  if (first !== again) throw new UsageError('the passwords differ: the password is unchanged');
  return first;
}

async function firstLine({ stdin }: Io): Promise<string> {
  const lines = createInterface({ input: stdin, crlfDelay: Infinity });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
  }
}
