import { execFileSync, fork, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import { operate } from '../../src/operate.ts';
import { connectRedis, waitUntilReady } from '../../src/redis/client.ts';
import { findEnvoy } from '../../src/runtime/envoy-binary.ts';
import { freePort } from '../../src/runtime/free-port.ts';
import { startRedis } from '../../src/runtime/redis-process.ts';
import { findRedisServer } from '../../src/runtime/redis-server.ts';
import { descendants } from '../support/processes.ts';
import type { Target } from '../support/load.ts';

/** What is measured: a target and the processes whose CPU is counted for it. */
export interface Rig extends Target {
  readonly name: string;
  readonly cpu: readonly { readonly part: 'envoy' | 'node' | 'redis'; readonly pid: number }[];
  /** Makes the next request under load, where not all are the same. */
  readonly next?: () => Buffer;
}

export const CHAT = '/v1/chat/completions';
/** What is measured runs on one core, provider, Redis and load on the other. */
export const MEASURED_CORE = '0';
const OTHER_CORE = '1';

export interface Parts {
  readonly directory: string;
  readonly providerPort: number;
  readonly binary: string;
  readonly redisPort: number;
  readonly redisPid: number;
  readonly stops: (() => unknown)[];
}

/**
 * Starts what stands in front of one provider that costs next to nothing, on one Redis; `close` ends all of it, and so
 * does a start that fails.
 */
export async function startOnParts<Started>(
  start: (parts: Parts) => Promise<Started>,
): Promise<Started & { close(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'gw-bench-'));
  const stops: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })];
  const close = (): Promise<void> => stopAll(stops);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void close().finally(() => process.exit(1)));
  }
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
  return { directory, providerPort, binary, redisPort: redis.port, redisPid: redis.pid, stops };
}

/** Every one of them, the last first, whatever becomes of the others. */
async function stopAll(stops: (() => unknown)[]): Promise<void> {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) {
    try {
      await stop();
    } catch (error) {
      process.stderr.write(`${String(error)}\n`);
    }
  }
}

/** The real `gateway serve`, with a key that has a budget in every window. */
export async function startGateway(
  parts: Parts,
  name: string,
  settings: ConfigInput = {},
): Promise<{ rig: Rig; quarantinedHeaders: Record<string, string> }> {
  const port = await freePort();
  const directory = mkdtempSync(join(parts.directory, 'gateway-'));
  const config = gatewayConfig({ ...parts, directory }, port, await freePort(), settings);
  const child = spawn(
    process.execPath,
    ['cli/main.ts', '--config', join(directory, 'gateway.yaml'), 'serve'],
    { env: { ...process.env, SERVER_INSECURE_DEV: 'true' }, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  parts.stops.push(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  await ready(config.server.admin_port);
  const nanoUsd = 1_000_000 * 1_000_000_000;
  const [key, locked] = await operate(config, async ({ keys, budgets }) => {
    const made = await keys.create({ name: 'bench', provider: 'openai' });
    await budgets.setLimits(made.record.keyHash, {
      minute: nanoUsd,
      hourly: nanoUsd,
      daily: nanoUsd,
      weekly: nanoUsd,
      monthly: nanoUsd,
    });
    return [made, await keys.create({ name: 'locked', provider: 'openai' })];
  });
  const headers = (rawKey: string) => ({
    authorization: `Bearer ${rawKey}`,
    'x-gateway-provider-key': 'sk-bench',
  });
  const redis = connectRedis(config.redis, { name: 'bench' });
  await waitUntilReady(redis, 10_000);
  await redis.set(`gateway:quarantine:${locked.record.keyHash}`, '1');
  redis.disconnect();
  const family = descendants(child.pid ?? 0);
  const worker = family.find(({ command }) => command.includes('worker.ts'))?.pid ?? 0;
  const envoy = family.find(({ command }) => command.includes('--disable-hot-restart'))?.pid ?? 0;
  pin(worker, MEASURED_CORE);
  pin(envoy, MEASURED_CORE);
  return {
    rig: {
      name,
      port,
      path: `/openai${CHAT}`,
      headers: headers(key.rawKey),
      cpu: [
        { part: 'envoy', pid: envoy },
        { part: 'node', pid: worker },
        { part: 'redis', pid: parts.redisPid },
      ],
    },
    quarantinedHeaders: headers(locked.rawKey),
  };
}

export function gatewayConfig(
  parts: Parts,
  port: number,
  adminPort: number,
  settings: ConfigInput = {},
): Config {
  const file = join(parts.directory, 'gateway.yaml');
  writeFileSync(
    file,
    stringify({
      ...settings,
      server: {
        host: '127.0.0.1',
        port,
        admin_port: adminPort,
        log_level: 'warn',
        ...settings.server,
      },
      redis: { addr: `127.0.0.1:${parts.redisPort}` },
      providers: { openai: { base_url: `http://127.0.0.1:${parts.providerPort}` } },
    }),
  );
  return loadConfig({ path: file, env: { SERVER_INSECURE_DEV: 'true' } }).config;
}

async function ready(adminPort: number): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const answer = await fetch(`http://127.0.0.1:${adminPort}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(100);
  }
  throw new Error('the gateway did not become ready');
}

export function said(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', () => reject(new Error('a bench process ended early')));
  });
}

/** All threads of a process on these cores (Linux). */
export function pin(pid: number, cores: string): void {
  try {
    execFileSync('taskset', ['-acp', cores, String(pid)], { stdio: 'ignore' });
  } catch (cause) {
    throw new Error(
      `what is measured could not be pinned to a core of its own: that takes two cores, and taskset (Debian: util-linux)`,
      { cause },
    );
  }
}

/** Throughput is measured on one core; latency where the machine puts the processes. */
export function pinMeasured(rig: Rig, pinned: boolean): void {
  for (const { part, pid } of rig.cpu) {
    pin(pid, !pinned ? `${MEASURED_CORE},${OTHER_CORE}` : part === 'redis' ? OTHER_CORE : MEASURED_CORE);
  }
}

/** CPU seconds of a process so far. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100; // utime and stime, in ticks of 10 ms
}
