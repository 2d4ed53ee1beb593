import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions, type TLSSocket } from 'node:tls';
import { onLoopback } from './loopback.ts';

/** A syslog message of RFC 5424, as received. */
export interface SyslogMessage {
  readonly priority: number;
  readonly time: string;
  readonly host: string;
  readonly app: string;
  readonly processId: string;
  readonly id: string;
  readonly structuredData: string;
  readonly text: string;
}

/** A real syslog receiver (RFC 5425, RFC 6587) on a loopback port. */
export interface SyslogServer {
  readonly port: number;
  readonly address: string;
  readonly messages: readonly SyslogMessage[];
  /** Common names of the client certificates. */
  readonly clients: readonly string[];
  /** Frames that are not syslog messages. */
  readonly broken: readonly string[];
  /** Ends all connections. */
  drop(): void;
  close(): Promise<void>;
}

/** @param tls undefined: plain TCP */
export async function startSyslogServer(tls?: TlsOptions, port = 0): Promise<SyslogServer> {
  const messages: SyslogMessage[] = [];
  const broken: string[] = [];
  const clients: string[] = [];
  const sockets = new Set<Socket>();

  function onConnection(socket: Socket): void {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    let waiting = Buffer.alloc(0);
    socket.on('data', (bytes: Buffer) => {
      waiting = Buffer.concat([waiting, bytes]);
      for (;;) {
        const space = waiting.indexOf(' ');
        const length = Number(waiting.subarray(0, Math.max(space, 0)).toString());
        if (space < 0 || waiting.length < space + 1 + length) return;
        const frame = waiting.subarray(space + 1, space + 1 + length).toString();
        waiting = waiting.subarray(space + 1 + length);
        const message = parse(frame);
        if (message === undefined) broken.push(frame);
        else messages.push(message);
      }
    });
  }

  const server: Server = tls === undefined ? createServer(onConnection) : createTlsServer(tls);
  server.on('secureConnection', (socket: TLSSocket) => {
    const name = socket.getPeerCertificate().subject?.CN;
    if (name !== undefined) clients.push(String(name));
    onConnection(socket);
  });
  const { port: bound, close } = await onLoopback(server, port);
  function drop(): void {
    for (const socket of sockets) socket.destroy();
  }
  return {
    port: bound,
    address: `localhost:${String(bound)}`,
    messages,
    clients,
    broken,
    drop,
    close,
  };
}

const MESSAGE = /^<(\d{1,3})>1 (\S+) (\S+) (\S+) (\S+) (\S+) (\S+) (.*)$/s;

function parse(frame: string): SyslogMessage | undefined {
  const [
    ,
    priority,
    time = '',
    host = '',
    app = '',
    processId = '',
    id = '',
    structuredData = '',
    text = '',
  ] = MESSAGE.exec(frame) ?? [];
  if (priority === undefined) return undefined;
  return { priority: Number(priority), time, host, app, processId, id, structuredData, text };
}
