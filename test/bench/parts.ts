import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findEnvoy } from '../../src/runtime/envoy-binary.ts';
import { startRedis } from '../../src/runtime/redis-process.ts';
import { findRedisServer } from '../../src/runtime/redis-server.ts';
import { OTHER_CORE, pin } from './machine.ts';

export interface Parts {
  readonly directory: string;
  readonly providerPort: number;
  readonly providerPid: number;
  /** Envoy's. */
  readonly binary: string;
  readonly redisPort: number;
  readonly redisPid: number;
  /** Cleanups that run at the end, last first. */
  readonly stops: (() => unknown)[];
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Starts the gateways in front of one provider that costs almost no CPU, on one Redis. `close` ends everything, and so
 * does a failed start.
 */
export async function startOnParts<Started>(
  start: (parts: Parts) => Promise<Started>,
): Promise<Started & { close(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'gw-bench-'));
  const stops: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })];
  const interrupted = (): void => void close().finally(() => process.exit(1));
  function close(): Promise<void> {
    for (const signal of SIGNALS) process.off(signal, interrupted);
    return stopAll(stops);
  }
  for (const signal of SIGNALS) process.once(signal, interrupted);
  try {
    const started = await start(await startParts(directory, stops));
    await sleep(1_500);
    return { ...started, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startParts(directory: string, stops: (() => unknown)[]): Promise<Parts> {
  pin(process.pid, OTHER_CORE);
  const provider = fork(join(import.meta.dirname, '..', 'support', 'canned-provider.ts'));
  stops.push(() => void provider.kill());
  const providerPort = Number(await said(provider));
  const binary = (await findEnvoy({ environment: process.env })).path;
  const redis = await startRedis({ program: await findRedisServer(process.env), directory });
  stops.push(() => redis.stop());
  return {
    directory,
    providerPort,
    providerPid: provider.pid ?? 0,
    binary,
    redisPort: redis.port,
    redisPid: redis.pid,
    stops,
  };
}

/** Runs all cleanups, last first, even if some fail. */
async function stopAll(stops: (() => unknown)[]): Promise<void> {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) {
    try {
      await stop();
    } catch (error) {
      process.stderr.write(`${String(error)}\n`);
    }
  }
}

export function said(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', () => reject(new Error('a bench process ended early')));
  });
}
