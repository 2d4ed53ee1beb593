import { userInfo } from 'node:os';

import { Option, type Command } from 'commander';

import { sendToReceivers } from '../src/audit/open-receivers.ts';
import { operatorRecord, withReason, type OperatorChange } from '../src/audit/operator-record.ts';
import { messageOf } from '../src/errors.ts';
import { operate } from '../src/operate.ts';
import { newOperationId } from '../src/operation-id.ts';
import { isPlainLabel } from '../src/text/label.ts';
import { UsageError, type Call, type Io } from './command.ts';
import { loadedConfig } from './loaded-config.ts';

export interface OperatorOptions {
  readonly as?: string;
  readonly reason?: string;
}

const NAME = /^[^]{1,128}$/u;

const REASON_HELP = 'reason, for the audit trail; at most 200 characters';

export function withOperator(command: Command, reasonHelp = REASON_HELP): Command {
  return command
    .addOption(
      new Option('--as <name>', 'your name in the audit trail (default: your user name)').argParser(nameOf),
    )
    .option('--reason <text>', reasonHelp);
}

function nameOf(text: string): string {
  if (NAME.test(text) && isPlainLabel(text)) return text;
  throw new UsageError('--as must be 1 to 128 visible characters, such as --as "Jane Doe"');
}

/**
 * Records an operator's change in the audit trail, if enabled. Must be called last, after the result has been printed.
 * @param change undefined if nothing was changed, or if the gateway has already recorded the change
 * @throws Error if the change was made, but not recorded or not sent to a receiver
 */
export async function auditChange(call: Call, change: OperatorChange | undefined): Promise<void> {
  if (change === undefined) return;
  const { config } = loadedConfig(call);
  if (!config.audit.enabled) return;
  const { as, reason } = call.command.opts<OperatorOptions>();
  const reasoned = withReason(change, reason);
  const line = JSON.stringify(operatorRecord(reasoned, { user: operatorName(call) ?? 'unknown', name: as }));
  try {
    await operate(config, ({ audit }) => audit.append([line], newOperationId()));
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`the change was made, but the audit trail has no record of it: ${reason}`, { cause });
  }
  try {
    await sendToReceivers(config.audit, line);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(
      `the change was made and is recorded in Redis, but the record was not sent to the receivers: ${reason}`,
      { cause },
    );
  }
}

/** Returns the operating system's user name, else USER or LOGNAME; undefined in some containers. */
export function operatorName({ env }: Io): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return env['USER'] ?? env['LOGNAME'];
  }
}
