import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

/** Fields that may never reach a log, wherever they stand; a second net under "do not log it". */
const REDACTED = [
  'rawKey',
  'providerKey',
  'password',
  'secret',
  'token',
  'authorization',
  'headers',
  '*.rawKey',
  '*.providerKey',
  '*.password',
  '*.secret',
  '*.token',
  '*.authorization',
  '*.headers',
];

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
): Logger {
  return createLogger('info', { ...fields, channel: 'audit' }, destination);
}

/** JSON lines with level names and ISO times. */
export function createLogger(
  level: 'debug' | 'info' | 'warn' | 'error',
  fields: Readonly<Record<string, unknown>>,
  destination: DestinationStream,
): Logger {
  const options = {
    level,
    base: fields,
    redact: { paths: REDACTED, censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, destination);
}
