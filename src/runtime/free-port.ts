import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the range that outgoing connections take theirs from, where a port that is free now is soon taken. */
const LOWEST = 20_000;
const HIGHEST = 32_000;
const TRIES = 100;

/**
 * A TCP port that nobody listens on: `preferred` if it is free, else one picked at random. Another process may take
 * it before the caller does, so whoever binds it must be ready to ask again.
 */
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

/** True if nobody listens there. Envoy itself would not notice: it shares ports with others of its user. */
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
