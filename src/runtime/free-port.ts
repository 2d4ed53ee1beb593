import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ephemeral range, whose free ports are quickly taken by outgoing connections. */
const LOWEST = 20_000;
const HIGHEST = 32_000;
const TRIES = 100;

/**
 * Returns an unused TCP port: `preferred` if it is free, else a random one. Another process may take it first, so
 * callers must be ready to retry.
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

/** Returns true if the port is unused. Envoy cannot detect this itself: it shares ports with processes of its user. */
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
