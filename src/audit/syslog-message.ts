import { hostname } from 'node:os';

const APP_NAME = 'ai-firewall-gateway';
/** Limit of HOSTNAME in RFC 5424, 6. */
const MAX_HOST_CHARS = 255;

/** By `severity_id` of OCSF (RFC 5424, 6.2.1). */
const SEVERITIES: ReadonlyMap<unknown, number> = new Map([
  [1, 6],
  [2, 5],
  [3, 4],
  [4, 3],
]);
const NOTICE = 5;

/** By `class_uid` of OCSF. */
const MESSAGE_IDS: ReadonlyMap<unknown, string> = new Map([
  [6003, 'api_activity'],
  [2004, 'detection_finding'],
]);

/**
 * Returns a record as one frame: its length in bytes, a space and a message of RFC 5424 (RFC 5425, 4.3; RFC 6587, 3.4.1).
 * MSG is the record's JSON in UTF-8.
 */
export function syslogFrame(line: string, facility: number, host = hostname()): string {
  const record = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const priority = facility * 8 + (SEVERITIES.get(record['severity_id']) ?? NOTICE);
  const time = new Date(Number(record['time'])).toISOString();
  const id = MESSAGE_IDS.get(record['class_uid']) ?? '-';
  const header = `<${String(priority)}>1 ${time} ${printableHost(host)} ${APP_NAME} ${String(process.pid)} ${id} -`;
  const message = `${header} ${line}`;
  return `${String(Buffer.byteLength(message))} ${message}`;
}

function printableHost(host: string): string {
  const printable = host.replaceAll(/[^\x21-\x7e]/g, '').slice(0, MAX_HOST_CHARS);
  return printable === '' ? '-' : printable;
}
