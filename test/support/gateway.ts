import { BUDGET_WINDOWS, type BudgetWindow } from '../../src/budget-windows.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { stringify } from 'yaml';

import type { Readiness } from '../../src/admin/readiness.ts';
import { createKeyStore } from '../../src/auth/key-store.ts';
import type { NewKey } from '../../src/auth/key-fields.ts';
import { createRedisBudgetStore } from '../../src/checks/budget/redis-store.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { envoyPath, gatewayProgram } from './parts.ts';
import { watchOutput } from './gateway-output.ts';
import { freePort } from './ports.ts';
import { descendants, type ProcessInfo } from './processes.ts';
import { startTestRedis, type TestRedis } from './redis.ts';

export interface GatewayOptions {
  /** Merged over the test's defaults: free ports, loopback, the test's own Redis. */
  readonly config?: ConfigInput;
  /** `SERVER_INSECURE_DEV=true` unless `server.tls` is configured; can be overridden here. */
  readonly env?: Readonly<Record<string, string>>;
  readonly workers?: number;
  /** Shared with other gateways; by default a new one, closed with the gateway. */
  readonly redis?: TestRedis;
  /** The program to run; by default the built one. */
  readonly entry?: string;
  /** `ready`: until /readyz is 200. `live`: until Envoy serves, even without Redis. */
  readonly waitFor?: 'ready' | 'live';
}

/** USD per window. */
export type TestBudget = { readonly [Window in BudgetWindow]?: number };

export interface TestKey {
  readonly rawKey: string;
  readonly keyHash: string;
}

/** The real `gateway serve`, run in its own process, as an operator runs it. */
export interface TestGateway {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly adminUrl: string;
  readonly port: number;
  readonly pid: number;
  readonly redis: TestRedis;
  readonly configFile: string;
  createKey(key?: Partial<NewKey>, budget?: TestBudget): Promise<TestKey>;
  setBudget(keyHash: string | undefined, budget: TestBudget): Promise<void>;
  readiness(): Promise<Readiness>;
  waitUntil(condition: (readiness: Readiness) => boolean, timeoutMs?: number): Promise<void>;
  metrics(): Promise<string>;
  /** All output of the gateway, its workers and its Envoy. */
  logs(): string;
  /** Sidecar processes, in no particular order. */
  workers(): readonly ProcessInfo[];
  envoy(): ProcessInfo | undefined;
  signal(name: NodeJS.Signals): void;
  /** Resolves with the exit code once it has exited by itself or by a signal. */
  readonly exited: Promise<number | null>;
  /** Sends SIGTERM and waits; kills it after 40 s. Closes its own Redis. */
  stop(): Promise<number | null>;
}

const START_WITHIN_MS = 30_000;
/** Optimizing the policy engine takes a second of CPU after each start, and pays off after thousands of calls. */
const V8_FLAGS = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

/** Starts a gateway on free ports; a failed start throws with its output, and leaves nothing running. */
export async function startGateway(options: GatewayOptions = {}): Promise<TestGateway> {
  const redis = options.redis ?? (await startTestRedis());
  try {
    return await startWith(redis, options);
  } catch (error) {
    if (options.redis === undefined) await redis.close();
    throw error;
  }
}

async function startWith(redis: TestRedis, options: GatewayOptions): Promise<TestGateway> {
  const directory = await mkdtemp(join(tmpdir(), 'gw-test-serve-'));
  const configFile = join(directory, 'gateway.yaml');
  const { settings, port, adminPort } = await testConfig(options, redis);
  await writeFile(configFile, stringify(settings));

  const tls = options.config?.server?.tls?.cert_file !== undefined;
  const run = launch(options.entry ?? (await gatewayProgram()), configFile, {
    ...(tls ? {} : { SERVER_INSECURE_DEV: 'true' }),
    ...options.env,
  });
  const baseUrl = `${tls ? 'https' : 'http'}://127.0.0.1:${String(port)}`;
  const adminUrl = `http://127.0.0.1:${String(adminPort)}`;
  const readiness = async (): Promise<Readiness> =>
    (await (await fetch(`${adminUrl}/readyz`)).json()) as Readiness;
  const waitUntil: TestGateway['waitUntil'] = (condition, timeoutMs = START_WITHIN_MS) =>
    waitFor(async () => condition(await readiness()), timeoutMs, run);
  async function stop(): Promise<number | null> {
    run.child.kill('SIGTERM');
    const force = setTimeout(() => run.child.kill('SIGKILL'), 40_000);
    const code = await run.exited;
    clearTimeout(force);
    if (options.redis === undefined) await redis.close();
    await rm(directory, { recursive: true, force: true });
    return code;
  }

  try {
    const live = (now: Readiness): boolean =>
      now.envoy !== 'down' && now.workers.ready === now.workers.wanted;
    await waitUntil((now) => (options.waitFor === 'live' ? live(now) : now.ready));
  } catch (error) {
    await stop();
    throw error;
  }
  const pid = run.child.pid ?? 0;
  const setBudget: TestGateway['setBudget'] = (keyHash, budget) =>
    budgetStore(redis).setLimits(keyHash, nanoUsd(budget));
  return {
    baseUrl,
    adminUrl,
    port,
    pid,
    redis,
    configFile,
    createKey: async (key, budget) => {
      const newKey = { name: `test-${String(Math.random()).slice(2)}`, provider: 'openai' as const, ...key };
      const { rawKey, record } = await createKeyStore(redis.client).create(newKey);
      if (budget !== undefined) await setBudget(record.keyHash, budget);
      return { rawKey, keyHash: record.keyHash };
    },
    setBudget,
    readiness,
    waitUntil,
    metrics: async () => (await fetch(`${adminUrl}/metrics`)).text(),
    logs: run.output,
    workers: () => descendants(pid).filter(({ command }) => /\/worker\.(ts|js)$/.test(command)),
    envoy: () => descendants(pid).find(({ command }) => command.includes('--disable-hot-restart')),
    signal: (name) => run.child.kill(name),
    exited: run.exited,
    stop,
  };
}

interface Launched {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  output(): string;
}

/** Runs the CLI's `serve` with only the environment variables that finding programs needs. */
function launch(entry: string, configFile: string, env: Readonly<Record<string, string>>): Launched {
  const { PATH, HOME, TMPDIR, XDG_CACHE_HOME } = process.env;
  const inherited = Object.entries({ PATH, HOME, TMPDIR, XDG_CACHE_HOME }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const child = spawn(process.execPath, [...V8_FLAGS, entry, '--config', configFile, 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(inherited), ...env },
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const output = (): string => Buffer.concat(chunks).toString();
  const endWatch = watchOutput(output);
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      endWatch();
      resolve(code);
    });
  });
  return { child, exited, output };
}

/** Starts a gateway that is expected to refuse; returns its exit code and all output. */
export async function serveUntilExit(
  config: ConfigInput,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'gw-test-serve-'));
  try {
    const configFile = join(directory, 'gateway.yaml');
    const server = { port: await freePort(), admin_port: await freePort() };
    await writeFile(configFile, stringify(overlay({ server }, config)));
    const run = launch(await gatewayProgram(), configFile, env);
    const timer = setTimeout(() => run.child.kill('SIGKILL'), START_WITHIN_MS);
    const code = await run.exited;
    clearTimeout(timer);
    return { code, output: run.output() };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function testConfig(
  options: GatewayOptions,
  redis: TestRedis,
): Promise<{ settings: Record<string, unknown>; port: number; adminPort: number }> {
  const port = options.config?.server?.port ?? (await freePort());
  const adminPort = options.config?.server?.admin_port ?? (await freePort());
  const settings: Record<string, unknown> = {
    server: {
      host: '127.0.0.1',
      port,
      admin_port: adminPort,
      workers: options.workers ?? 1,
      drain_timeout: '10s',
      // Tests share their machine; those for overload set a limit.
      shed_after: '30s',
    },
    redis: { addr: redis.addr, ...(redis.password === undefined ? {} : { password: redis.password }) },
    envoy: { path: await envoyPath() },
  };
  return { settings: overlay(settings, options.config ?? {}), port, adminPort };
}

/** `over` on top of `base`, group by group; everything else is replaced. */
function overlay(base: Record<string, unknown>, over: object): Record<string, unknown> {
  const merged = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const below = base[name];
    merged[name] = isGroup(value) && isGroup(below) ? overlay(below, value) : value;
  }
  return merged;
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function waitFor(check: () => Promise<boolean>, timeoutMs: number, run: Launched): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let gone = false;
  void run.exited.then(() => {
    gone = true;
  });
  for (;;) {
    if (await check().catch(() => false)) return;
    if (gone) throw new Error(`the gateway ended:\n${run.output()}`);
    if (Date.now() > deadline) throw new Error(`the gateway is not there in time:\n${run.output()}`);
    await delay(50);
  }
}

function budgetStore(redis: TestRedis): ReturnType<typeof createRedisBudgetStore> {
  return createRedisBudgetStore({
    client: redis.client,
    deadlineMs: 5_000,
    alertPercents: [],
  });
}

function nanoUsd(budget: TestBudget): { [Window in BudgetWindow]?: number } {
  const limits: { [Window in BudgetWindow]?: number } = {};
  for (const window of BUDGET_WINDOWS) {
    const usd = budget[window];
    if (usd !== undefined) limits[window] = Math.round(usd * 1e9);
  }
  return limits;
}
