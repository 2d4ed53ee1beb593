import type { Command } from 'commander';
import { operatorRecord, type OperatorChange } from '../src/audit/operator-record.ts';
import { newOperationId } from '../src/operation-id.ts';
import { operate } from '../src/operate.ts';
import type { Io } from './command.ts';
import { loadedConfig } from './loaded-config.ts';
import { messageOf } from '../src/errors.ts';
import { randomUUID } from 'node:crypto';
import { createLogger } from '../src/telemetry/logger.ts';
import { userInfo } from 'node:os';

/**
 * Puts what an operator did into the audit trail, where there is one. Called last, once what the command prints is out.
 * @throws Error where the change was made and is not on record
 */
export async function auditChange(command: Command, io: Io, change: OperatorChange): Promise<void> {
  const { config } = loadedConfig(command, io);
  if (!config.audit.enabled) return;
  const line = JSON.stringify(operatorRecord(change, operatorName(io) ?? 'unknown'));
  try {
    await operate(config, ({ audit }) => audit.append([line], newOperationId()));
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`the change was made, but the audit trail has no record of it: ${reason}`, { cause });
  }
}

/** What an operator did to a key: a line of JSON on standard error, apart from what the command prints. */
export function recordChange(io: Io, change: string, fields: Readonly<Record<string, unknown>>): void {
  createLogger('info', { name: 'gateway-cli' }, io.stderr).info(fields, change);
}

/** One order, under which a repeat of its commands changes nothing. */
export function newOrderId(): string {
  return `cli-${randomUUID()}`;
}

/** Who gives the command, as the system knows; undefined where the user has no name, as in containers. */
export function operatorName({ env }: Io): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return env['USER'] ?? env['LOGNAME'];
  }
}
