import type { Server } from 'node:http';

/**
 * The parts of `node:http` in use. A named import in an ES module would load all of undici (5 MB of memory and 40 ms of
 * CPU time at start) for an unused `WebSocket` export.
 */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http');

export interface Listening {
  readonly port: number;
  /** Also ends open connections. */
  close(): Promise<void>;
}

/**
 * Binds a server; port 0 picks a free port. Rejects if the address cannot be bound.
 * @param keys configuration keys of the address, for the error message
 */
export async function listenOn(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  keys: string,
): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `${keys}: cannot listen on ${host}:${String(port)} (${cause.message})`;
      reject(new Error(message, { cause }));
    });
    server.listen({ host, port }, resolve);
  });
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
