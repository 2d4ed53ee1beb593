import { isObject } from '../json/is-object.ts';
import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

/** Fields that may never reach a log, nor those of an object in it; a second net under "do not log it". */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'rawKey',
  'providerKey',
  'password',
  'secret',
  'token',
  'authorization',
  'headers',
]);
const REDACTED = '[redacted]';

/** Where what an operator should know of a key is told: the log's own channel, or the audit trail. */
export interface SecurityEvents {
  info(fields: object, message: string): void;
}

type Fields = Record<string, unknown>;

/**
 * What is logged without its credentials. By ourselves: pino's own redaction of fields of any object costs more than all
 * else of a line, and every request has one.
 */
function withoutCredentials(fields: Fields): Fields {
  return redacted(fields, (value) => (isObject(value) ? redacted(value, (inner) => inner) : value));
}

/** The fields themselves where nothing is to be changed. */
function redacted(fields: Fields, ofValue: (value: unknown) => unknown): Fields {
  let changed: Fields | undefined;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const shown = CREDENTIALS.has(name) ? REDACTED : ofValue(value);
    if (value === undefined || shown === value) continue;
    changed ??= { ...fields };
    changed[name] = shown;
  }
  return changed ?? fields;
}

/** Standard output; loggers of one process share one, or their lines would run into each other. */
export function standardOutput(): DestinationStream {
  return pino.destination({ sync: false });
}

/**
 * Security events and verdicts: a channel of its own (`"channel": "audit"`), which `server.log_level` does not
 * silence.
 */
export function createAuditLog(
  fields: Readonly<Record<string, unknown>>,
  destination: DestinationStream,
  level: 'info' | 'silent' = 'info',
): Logger {
  return createLogger(level, { ...fields, channel: 'audit' }, destination);
}

/** JSON lines with level names and ISO times. */
export function createLogger(
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent',
  fields: Readonly<Record<string, unknown>>,
  destination: DestinationStream,
): Logger {
  const options = {
    level,
    base: fields,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: withoutCredentials },
  };
  return pino(options, destination);
}
