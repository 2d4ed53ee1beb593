import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import { operate } from '../../src/operate.ts';
import { connectRedis, waitUntilReady } from '../../src/redis/client.ts';
import { freePort } from '../../src/runtime/free-port.ts';
import { builtGateway } from '../support/built-gateway.ts';
import { descendants } from '../support/processes.ts';
import { MEASURED_CORE, pin } from './machine.ts';
import type { Parts } from './parts.ts';
import { proveEngines, type Engine } from './proof.ts';
import { CHAT, type Rig } from './rig.ts';

/** The real `gateway serve`, with a key that has a budget in every window. */
export async function startGateway(
  parts: Parts,
  name: string,
  settings: ConfigInput = {},
  engines: readonly Engine[] = ['budgets'],
): Promise<{ rig: Rig; quarantinedHeaders: Record<string, string> }> {
  const port = await freePort();
  const directory = mkdtempSync(join(parts.directory, 'gateway-'));
  const config = gatewayConfig({ ...parts, directory }, port, await freePort(), settings);
  const running = await launchGateway(join(directory, 'gateway.yaml'), config);
  parts.stops.push(() => running.stop());
  const nanoUsd = 1_000_000 * 1_000_000_000;
  const limits = { minute: nanoUsd, hourly: nanoUsd, daily: nanoUsd, weekly: nanoUsd, monthly: nanoUsd };
  const [key, locked, proving] = await operate(config, async ({ keys, budgets }) => {
    async function keyFor(keyName: string) {
      const made = await keys.create({ name: keyName, provider: 'openai' });
      await budgets.setLimits(made.record.keyHash, limits);
      return made;
    }
    return [
      await keyFor(`${name}: bench`),
      await keyFor(`${name}: locked`),
      await keyFor(`${name}: proving`),
    ];
  });
  const headers = (rawKey: string) => ({
    authorization: `Bearer ${rawKey}`,
    'x-gateway-provider-key': 'sk-bench',
  });
  const redis = connectRedis(config.redis, { name: 'bench' });
  await waitUntilReady(redis, 10_000);
  await redis.set(`gateway:quarantine:${locked.record.keyHash}`, '1');
  redis.disconnect();
  const { redisPort } = parts;
  const adminPort = config.server.admin_port;
  await proveEngines({ name, port, adminPort, redisPort, headers: headers(proving.rawKey) }, engines);
  const { processes } = running;
  for (const { pid } of processes) pin(pid, MEASURED_CORE);
  return {
    rig: {
      name,
      port,
      path: `/openai${CHAT}`,
      headers: headers(key.rawKey),
      adminPort,
      processes: [...processes, { part: 'redis', pid: parts.redisPid }],
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

/** A gateway that is ready for requests. */
export interface RunningGateway {
  /** Envoy, the worker and their supervisor. */
  readonly processes: Rig['processes'];
  /** From its start until it was ready. */
  readonly startMs: number;
  stop(): Promise<void>;
}

/** Runs the program as users install it. */
export async function launchGateway(
  configFile: string,
  config: Config,
  environment: NodeJS.ProcessEnv = {},
): Promise<RunningGateway> {
  const program = await builtGateway();
  const logFile = join(dirname(configFile), 'gateway.log');
  const log = openSync(logFile, 'w');
  const begin = performance.now();
  const child = spawn(process.execPath, [program, '--config', configFile, 'serve'], {
    env: { ...process.env, SERVER_INSECURE_DEV: 'true', ...environment },
    stdio: ['ignore', log, 'inherit'],
  });
  closeSync(log);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  async function stop(): Promise<void> {
    child.kill('SIGTERM');
    await ended;
    reportErrors(logFile);
  }
  try {
    await untilReady(config.server.admin_port);
  } catch (error) {
    await stop();
    throw error;
  }
  const startMs = performance.now() - begin;
  const supervisor = child.pid ?? 0;
  const family = descendants(supervisor);
  const pidOf = (part: string): number => family.find(({ command }) => command.includes(part))?.pid ?? 0;
  return {
    processes: [
      { part: 'envoy', pid: pidOf('--disable-hot-restart') },
      { part: 'node', title: 'worker', pid: pidOf('/worker.js') },
      { part: 'node', title: 'supervisor', pid: supervisor },
    ],
    startMs,
    stop,
  };
}

/** Prints what failed while the gateway was measured, such as a crashed worker. */
function reportErrors(logFile: string): void {
  const lines = readFileSync(logFile, 'utf8').split('\n');
  for (const line of lines) if (/"level":"(?:error|fatal)"/.test(line)) process.stderr.write(`${line}\n`);
}

const READY_WITHIN_MS = 60_000;
const ASK_EVERY_MS = 10;

async function untilReady(adminPort: number): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadline) {
    const answer = await fetch(`http://127.0.0.1:${String(adminPort)}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(ASK_EVERY_MS);
  }
  throw new Error(`the gateway was not ready within ${String(READY_WITHIN_MS / 1_000)} s`);
}
