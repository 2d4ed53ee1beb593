import { isObject } from '../json/is-object.ts';
import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

/** Fields redacted at the top level and one level below. A safety net: code must not log them in the first place. */
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

/** Destination of security events: the audit channel of the log, or the audit trail. */
export interface SecurityEvents {
  info(fields: object, message: string): void;
}

type Fields = Record<string, unknown>;

/** Redacts credentials. pino's own redaction of nested fields costs more than the rest of a log line. */
function withoutCredentials(fields: Fields): Fields {
  return redacted(fields, (value) => (isObject(value) ? redacted(value, (inner) => inner) : value));
}

/** Returns the same object if nothing changes. */
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

/** Opens standard output. All loggers of a process must share the destination, or their lines interleave. */
export function standardOutput(): DestinationStream {
  return pino.destination({ sync: false });
}

/** Creates the logger of security events and verdicts (`"channel": "audit"`). It ignores `server.log_level`. */
export function createAuditLog(
  fields: Readonly<Record<string, unknown>>,
  destination: DestinationStream,
  level: 'info' | 'silent' = 'info',
): Logger {
  return createLogger(level, { ...fields, channel: 'audit' }, destination);
}

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
