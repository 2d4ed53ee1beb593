import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { hostname } from 'node:os';
import { latestPemTexts } from '../certificates/pem.ts';
import { parseHostPort } from '../config/address.ts';
import type { Config } from '../config/schema.ts';
import { inTime, type AuditReceiver } from './receiver.ts';

type Syslog = Config['audit']['syslog'];

const RESENT_RECORDS = 1_000;
const RESENT_WITHIN_MS = 60_000;
const RESEND_EVERY_MS = 1_000;

interface Sent {
  readonly line: string;
  readonly at: number;
}

/**
 * Sends records as syslog messages over one TLS or TCP connection. Syslog has no acknowledgements, so the last records
 * are resent after the connection breaks, and the receiver may get them twice.
 * @throws Error if a certificate file cannot be used
 */
export function createSyslogReceiver(syslog: Syslog): AuditReceiver {
  const dial = dialer(syslog);
  let socket: Socket | undefined;
  let sent: readonly Sent[] = [];
  let isClosed = false;
  let turn: Promise<unknown> = Promise.resolve();

  function recent(): readonly Sent[] {
    const since = performance.now() - RESENT_WITHIN_MS;
    return sent.filter(({ at }) => at > since);
  }

  function sendInTurn(lines: readonly string[]): Promise<void> {
    const sending = turn.then(() => inTime(send(lines)).catch(abandon));
    turn = sending.catch(() => undefined);
    return sending;
  }

  async function send(lines: readonly string[]): Promise<void> {
    const isNew = socket === undefined;
    const open = (socket ??= follow(dial()));
    if (isNew) await opened(open, syslog.tls);
    const before = recent();
    const all = isNew ? [...before.map(({ line }) => line), ...lines] : lines;
    await written(open, all.map((line) => syslogFrame(line, syslog.facility)).join(''));
    const at = performance.now();
    sent = [...before, ...lines.map((line) => ({ line, at }))].slice(-RESENT_RECORDS);
  }

  function abandon(cause: unknown): never {
    socket?.destroy();
    socket = undefined;
    throw cause;
  }

  function follow(opening: Socket): Socket {
    opening.setKeepAlive(true);
    opening.resume();
    opening.on('error', () => undefined); // reported by `send`
    opening.once('end', () => opening.destroy());
    opening.once('close', () => {
      if (socket !== opening) return;
      socket = undefined;
      void resend();
    });
    return opening;
  }

  /** Retries until the recent records have been resent or are too old. */
  async function resend(): Promise<void> {
    do await delay(RESEND_EVERY_MS, undefined, { ref: false });
    while (!isClosed && socket === undefined && recent().length > 0 && !(await isResent()));
  }

  function isResent(): Promise<boolean> {
    return sendInTurn([]).then(
      () => true,
      () => false,
    );
  }

  return {
    async send(lines) {
      await sendInTurn(lines);
      return undefined;
    },
    probe: () => sendInTurn([]),
    close() {
      isClosed = true;
      socket?.destroy();
    },
  };
}

function dialer(syslog: Syslog): () => Socket {
  const to = parseHostPort(syslog.address);
  if (to === undefined) throw new Error('audit.syslog.address must be host:port');
  if (!syslog.tls) return () => connectTcp(to);
  const latest = latestPemTexts({ path: 'audit.syslog', ...syslog });
  const name = syslog.server_name ?? to.host;
  return () => {
    const { ca_file: ca, cert_file: cert, key_file: key } = latest();
    // An IP address is not a server name (RFC 6066, section 3), but is still compared with the certificate.
    const servername = isIP(name) === 0 ? { servername: name } : {};
    return connectTls({ ...to, ...servername, minVersion: 'TLSv1.2', ca, cert, key });
  };
}

function opened(socket: Socket, isTls: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(isTls ? 'secureConnect' : 'connect', resolve);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the receiver closed the connection')));
  });
}

function written(socket: Socket, frames: string): Promise<void> {
  if (frames === '') return Promise.resolve();
  return new Promise((resolve, reject) => {
    socket.write(frames, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

const APP_NAME = 'ai-firewall-gateway';
/** RFC 5424, section 6. */
const MAX_HOST_CHARS = 255;

/** By OCSF `severity_id` (RFC 5424, section 6.2.1). */
const SEVERITIES: ReadonlyMap<unknown, number> = new Map([
  [1, 6],
  [2, 5],
  [3, 4],
  [4, 3],
]);
const NOTICE = 5;

/** By OCSF `class_uid`. */
const MESSAGE_IDS: ReadonlyMap<unknown, string> = new Map([
  [6003, 'api_activity'],
  [2004, 'detection_finding'],
]);

/**
 * Returns a record as one frame: the length in bytes, a space, and an RFC 5424 message (RFC 5425, 4.3; RFC 6587, 3.4.1)
 * whose MSG is the record's JSON in UTF-8.
 */
function syslogFrame(line: string, facility: number, host = hostname()): string {
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
