import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/** Where a server listens. */
export interface Loopback {
  readonly port: number;
  /** `127.0.0.1:<port>`. */
  readonly addr: string;
  /** `http://127.0.0.1:<port>`, or `https` if the server has a certificate. */
  readonly url: string;
  /** Cuts its connections. */
  close(): Promise<void>;
}

/** Starts a server on 127.0.0.1, by default on a free port. It does not keep the process running. */
export async function onLoopback(server: Server, port = 0): Promise<Loopback> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const bound = (server.address() as AddressInfo).port;
  const addr = `127.0.0.1:${String(bound)}`;
  return {
    port: bound,
    addr,
    url: `${server instanceof TlsServer ? 'https' : 'http'}://${addr}`,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
