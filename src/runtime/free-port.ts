import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** These ports lie below the ephemeral range, which outgoing connections use. */
const LOWEST = 20_000;
const HIGHEST = 32_000;
const TRIES = 100;

/** Returns `preferred` if it is free, otherwise a random free port. Callers must retry if another process takes it. */
export async function freePort(host = '127.0.0.1', preferred?: number): Promise<number> {
  const candidates = [
    ...(preferred === undefined ? [] : [preferred]),
    ...Array.from({ length: TRIES }, () => randomInt(LOWEST, HIGHEST)),
  ];
  for (const port of candidates) {
    if (await portIsFree(host, port)) return port;
  }
  throw new Error(`no free TCP port on ${host}`);
}

/** Tests a port, because Envoy shares ports with other processes of its user, so it cannot detect one in use. */
export function portIsFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
