import { randomUUID } from 'node:crypto';
import { createLogger } from '../src/telemetry/logger.ts';
import type { Io } from './command.ts';

/** What an operator did to a key: a line of JSON on standard error, apart from what the command prints. */
export function recordChange(io: Io, change: string, fields: Readonly<Record<string, unknown>>): void {
  createLogger('info', { name: 'gateway-cli' }, io.stderr).info(fields, change);
}

/** One order, under which a repeat of its commands changes nothing. */
export function newOrderId(): string {
  return `cli-${randomUUID()}`;
}
