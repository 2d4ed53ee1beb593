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

/** JSON lines with level names and ISO times; `destination` is standard output by default. */
export function createLogger(
  level: 'debug' | 'info' | 'warn' | 'error',
  fields: Readonly<Record<string, unknown>>,
  destination?: DestinationStream,
): Logger {
  const options = {
    level,
    base: fields,
    redact: { paths: REDACTED, censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination === undefined
    ? pino(options, pino.destination({ sync: false }))
    : pino(options, destination);
}
