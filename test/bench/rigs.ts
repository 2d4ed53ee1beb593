import { execFileSync, fork, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/schema.ts';
import { renderEnvoy } from '../../src/envoy/render.ts';
import type { TransportName } from '../../src/extproc/server.ts';
import { operate } from '../../src/operate.ts';
import { connectRedis, waitUntilReady } from '../../src/redis/client.ts';
import { findEnvoy } from '../../src/runtime/envoy-binary.ts';
import { startEnvoy, type EnvoyProcess } from '../../src/runtime/envoy-process.ts';
import { freePort } from '../../src/runtime/free-port.ts';
import { startRedis } from '../../src/runtime/redis-process.ts';
import { findRedisServer } from '../../src/runtime/redis-server.ts';
import { descendants } from '../support/processes.ts';
import type { Target } from '../support/load.ts';

/** What is measured: a target and the processes whose CPU is counted for it. */
export interface Rig extends Target {
  readonly name: 'direct' | 'pass-through' | 'no-op' | 'no-op over grpc-js' | 'gateway' | 'gateway with DLP';
  readonly cpu: readonly { readonly part: 'envoy' | 'node' | 'redis'; readonly pid: number }[];
}

export interface Rigs {
  readonly rigs: readonly Rig[];
  /** A path of the pass-through Envoy that answers by itself. */
  readonly directResponse: Target;
  /** A request of a key that is locked. */
  readonly quarantined: Target;
  close(): Promise<void>;
}

const CHAT = '/v1/chat/completions';
/** What is measured runs on one core, provider, Redis and load on the other. */
const MEASURED_CORE = '0';
const OTHER_CORE = '1';

export function startRigs(): Promise<Rigs> {
  return startWith(startAll);
}

/** The no-op processor behind an Envoy of its own, over each transport. */
export function startTransports(): Promise<{ readonly rigs: readonly Rig[]; close(): Promise<void> }> {
  return startWith(async (directory, stops) => {
    // Nobody asks Redis there.
    const parts = await startProvider(directory, stops, 6_379, 0);
    return { rigs: [await startNoop(parts, 'lean'), await startNoop(parts, 'grpc-js')] };
  });
}

async function startWith<T extends object>(
  start: (directory: string, stops: (() => unknown)[]) => Promise<T>,
): Promise<T & { close(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'gw-bench-'));
  const stops: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })];
  const close = (): Promise<void> => stopAll(stops);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void close().finally(() => process.exit(1)));
  }
  try {
    return { ...(await start(directory, stops)), close };
  } catch (error) {
    await close();
    throw error;
  }
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

async function startAll(directory: string, stops: (() => unknown)[]): Promise<Omit<Rigs, 'close'>> {
  const redis = await startRedis({ program: await findRedisServer(process.env), directory });
  stops.push(() => redis.stop());
  const parts = await startProvider(directory, stops, redis.port, redis.pid);
  const { providerPort } = parts;
  const passThrough = await startPassThrough(parts);
  const noop = await startNoop(parts, 'lean');
  const gateway = await startGateway(parts, 'gateway');
  const withDlp = await startGateway(parts, 'gateway with DLP');
  await sleep(1_500);
  return {
    rigs: [
      { name: 'direct', port: providerPort, path: CHAT, headers: {}, cpu: [] },
      passThrough,
      noop,
      gateway.rig,
      withDlp.rig,
    ],
    directResponse: { ...passThrough, path: '/direct' },
    quarantined: { ...gateway.rig, headers: gateway.quarantinedHeaders },
  };
}

interface Parts {
  readonly directory: string;
  readonly providerPort: number;
  readonly binary: string;
  readonly redisPort: number;
  readonly redisPid: number;
  readonly stops: (() => unknown)[];
}

async function startProvider(
  directory: string,
  stops: (() => unknown)[],
  redisPort: number,
  redisPid: number,
): Promise<Parts> {
  pin(process.pid, OTHER_CORE);
  const provider = fork(join(import.meta.dirname, '..', 'support', 'canned-provider.ts'));
  stops.push(() => void provider.kill());
  const providerPort = Number(await said(provider));
  const binary = (await findEnvoy({ environment: process.env })).path;
  return { directory, providerPort, binary, redisPort, redisPid, stops };
}

async function startPassThrough(parts: Parts): Promise<Rig> {
  const port = await freePort();
  const socket = (address: string, port_value: number) => ({ socket_address: { address, port_value } });
  const manager =
    'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
  const config = {
    admin: { address: { pipe: { path: join(parts.directory, 'p.sock') } } },
    static_resources: {
      listeners: [
        {
          name: 'main',
          address: socket('127.0.0.1', port),
          filter_chains: [
            {
              filters: [
                {
                  name: 'http',
                  typed_config: {
                    '@type': manager,
                    stat_prefix: 'main',
                    http_filters: [
                      {
                        name: 'router',
                        typed_config: {
                          '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router',
                        },
                      },
                    ],
                    route_config: {
                      virtual_hosts: [
                        {
                          name: 'all',
                          domains: ['*'],
                          routes: [
                            {
                              match: { path: '/direct' },
                              direct_response: { status: 403, body: { inline_string: 'x'.repeat(60) } },
                            },
                            { match: { prefix: '/' }, route: { cluster: 'provider', timeout: '0s' } },
                          ],
                        },
                      ],
                    },
                  },
                },
              ],
            },
          ],
        },
      ],
      clusters: [
        {
          name: 'provider',
          type: 'STATIC',
          load_assignment: {
            cluster_name: 'provider',
            endpoints: [
              { lb_endpoints: [{ endpoint: { address: socket('127.0.0.1', parts.providerPort) } }] },
            ],
          },
        },
      ],
    },
  };
  const envoy = await runEnvoy(parts, 'p', stringify(config));
  return {
    name: 'pass-through',
    port,
    path: CHAT,
    headers: {},
    cpu: [{ part: 'envoy', pid: envoy.pid ?? 0 }],
  };
}

async function startNoop(parts: Parts, transport: TransportName): Promise<Rig> {
  const socketPath = join(parts.directory, `${transport}.sock`);
  const child = fork(join(import.meta.dirname, 'noop.ts'), [
    socketPath,
    `127.0.0.1:${parts.providerPort}`,
    transport,
  ]);
  parts.stops.push(() => void child.kill());
  await said(child);
  pin(child.pid ?? 0, MEASURED_CORE);
  const port = await freePort();
  const config = gatewayConfig(parts, port, await freePort());
  const envoy = await runEnvoy(
    parts,
    `n-${transport}`,
    renderEnvoy(config, {
      sidecars: [{ kind: 'unix', path: socketPath }],
      adminSocketPath: join(parts.directory, `n-${transport}.sock`),
      systemCaFile: '/etc/ssl/certs/ca-certificates.crt',
      accessLogPath: '/dev/null',
    }),
  );
  return {
    name: transport === 'lean' ? 'no-op' : 'no-op over grpc-js',
    port,
    path: `/openai${CHAT}`,
    headers: { authorization: 'Bearer sk-bench' },
    cpu: [
      { part: 'envoy', pid: envoy.pid ?? 0 },
      { part: 'node', pid: child.pid ?? 0 },
    ],
  };
}

/** The real `gateway serve`, with a key that has a budget in every window; DLP looks for everything it knows, or is off. */
async function startGateway(
  parts: Parts,
  name: 'gateway' | 'gateway with DLP',
): Promise<{ rig: Rig; quarantinedHeaders: Record<string, string> }> {
  const port = await freePort();
  const directory = mkdtempSync(join(parts.directory, 'gateway-'));
  const config = gatewayConfig({ ...parts, directory }, port, await freePort(), name === 'gateway with DLP');
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

function gatewayConfig(parts: Parts, port: number, adminPort: number, dlp = false): Config {
  const file = join(parts.directory, 'gateway.yaml');
  writeFileSync(
    file,
    stringify({
      server: {
        host: '127.0.0.1',
        port,
        admin_port: adminPort,
        log_level: 'warn',
        dlp: { enabled: dlp, scan_network: dlp },
      },
      redis: { addr: `127.0.0.1:${parts.redisPort}` },
      providers: { openai: { base_url: `http://127.0.0.1:${parts.providerPort}` } },
    }),
  );
  return loadConfig({ path: file, env: { SERVER_INSECURE_DEV: 'true' } }).config;
}

async function runEnvoy(parts: Parts, name: string, yaml: string): Promise<EnvoyProcess> {
  const configFile = join(parts.directory, `${name}.yaml`);
  writeFileSync(configFile, yaml);
  const envoy = startEnvoy({
    binary: parts.binary,
    configFile,
    adminSocketPath: join(parts.directory, `${name}.sock`),
    concurrency: 1,
    onLine: () => undefined,
  });
  parts.stops.push(() => envoy.stop());
  await envoy.waitUntilLive(20_000);
  pin(envoy.pid ?? 0, MEASURED_CORE);
  return envoy;
}

async function ready(adminPort: number): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const answer = await fetch(`http://127.0.0.1:${adminPort}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(100);
  }
  throw new Error('the gateway did not become ready');
}

function said(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', () => reject(new Error('a bench process ended early')));
  });
}

/** All threads of a process on these cores (Linux). */
function pin(pid: number, cores: string): void {
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
