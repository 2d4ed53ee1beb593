import { lookup } from 'node:dns/promises';
import { createServer as createPlainServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, Server as TlsServer, type TlsOptions } from 'node:tls';
import { Http2Connection, type ConnectionUser } from './connection.ts';

/** Maximum number of connections. Envoy opens one per thread, and more for many streams. */
const MAX_CONNECTIONS = 1_024;
const ALPN = 'h2';
const HANDSHAKE_MS = 15_000;

/** If the host has several addresses, the server listens on all of them. */
export type Http2Address =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

export interface Http2ServerOptions extends ConnectionUser {
  readonly address: Http2Address;
  /** Defaults to plain text with prior knowledge. */
  readonly tls?: TlsOptions | undefined;
}

export interface Http2Server {
  /** Applies to new connections. */
  renewTls(tls: TlsOptions): void;
  close(): void;
}

/** Serves HTTP/2 with prior knowledge (RFC 9113 section 3.3), or over TLS with ALPN. */
export async function startHttp2Server(options: Http2ServerOptions): Promise<Http2Server> {
  const connections = new Set<Http2Connection>();
  function serve(socket: Socket): void {
    const connection = new Http2Connection(socket, options);
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
  }
  const servers: Server[] = [];
  function close(): void {
    for (const server of servers) server.close();
    for (const connection of [...connections]) connection.shutdown();
  }
  try {
    for (const place of await placesOf(options.address)) {
      const server = createServer(options.tls, serve);
      servers.push(server);
      await listen(server, place);
    }
  } catch (cause) {
    close();
    throw cause;
  }
  function renewTls(tls: TlsOptions): void {
    for (const server of servers) if (server instanceof TlsServer) server.setSecureContext(tls);
  }
  return { close, renewTls };
}

type Place = { readonly path: string } | { readonly host: string; readonly port: number };

async function placesOf(address: Http2Address): Promise<readonly Place[]> {
  if (address.kind === 'unix') return [{ path: address.path }];
  const { host, port } = address;
  const found = await lookup(host, { all: true });
  const addresses = new Set(found.map(({ address: each }) => each));
  return Array.from(addresses, (each) => ({ host: each, port }));
}

function createServer(tls: TlsOptions | undefined, serve: (socket: Socket) => void): Server {
  const server =
    tls === undefined
      ? createPlainServer({ noDelay: true }, serve)
      : createTlsServer(
          { ...tls, ALPNProtocols: [ALPN], handshakeTimeout: HANDSHAKE_MS, noDelay: true },
          (socket) => {
            if (socket.alpnProtocol === ALPN) serve(socket);
            else socket.destroy();
          },
        );
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

async function listen(server: Server, place: Place): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(place, () => {
      server.off('error', reject);
      server.on('error', () => undefined);
      resolve();
    });
  });
}
