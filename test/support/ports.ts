import { randomInt } from 'node:crypto';
import { portIsFree } from '../../src/runtime/free-port.ts';

/**
 * Below the ports that the program itself picks from, a range for each test worker: files run in parallel, and a port
 * that one has requested but not bound yet, or wants to stay closed, must not be taken by another.
 */
const LOWEST = 10_000;
const PORTS_PER_WORKER = 1_000;
const WORKERS = 8;
const TRIES = 500;

const first = LOWEST + (Number(process.env['VITEST_POOL_ID'] ?? '0') % WORKERS) * PORTS_PER_WORKER;
const given = new Set<number>();

/** Returns a TCP port without a listener, which no other caller gets. */
export function freePort(): Promise<number> {
  return freePortRow(1);
}

/** The first of `count` such ports in a row. */
export async function freePortRow(count: number): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const start = first + randomInt(PORTS_PER_WORKER - count);
    const ports = Array.from({ length: count }, (_, index) => start + index);
    if (ports.some((port) => given.has(port))) continue;
    for (const port of ports) given.add(port);
    const free = await Promise.all(ports.map((port) => portIsFree('127.0.0.1', port)));
    if (free.every(Boolean)) return start;
  }
  throw new Error(`no ${String(count)} free TCP ports from ${String(first)} on`);
}
