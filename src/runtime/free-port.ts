import { createServer } from 'node:net';

/**
 * A TCP port that nobody listens on: `preferred` if it is free, else one the kernel picks.
 * Another process may take it before the caller does, so whoever binds it must be ready to ask again.
 */
export async function freePort(host = '127.0.0.1', preferred?: number): Promise<number> {
  if (preferred !== undefined && preferred !== 0) {
    const port = await tryListen(host, preferred);
    if (port !== undefined) return port;
  }
  const port = await tryListen(host, 0);
  if (port === undefined) throw new Error(`no free TCP port on ${host}`);
  return port;
}

function tryListen(host: string, port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => {
        resolve(address !== null && typeof address === 'object' ? address.port : undefined);
      });
    });
  });
}

/** True if nobody listens there. Envoy itself would not notice: it shares ports with others of its user. */
export async function portIsFree(host: string, port: number): Promise<boolean> {
  return (await tryListen(host, port)) !== undefined;
}
