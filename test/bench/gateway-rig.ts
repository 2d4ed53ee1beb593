import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import { operate } from '../../src/operate.ts';
import { connectRedis, waitUntilReady } from '../../src/redis/client.ts';
import { freePort } from '../../src/runtime/free-port.ts';
import { descendants } from '../support/processes.ts';
import { MEASURED_CORE, pin } from './machine.ts';
import type { Parts } from './parts.ts';
import { CHAT, type Rig } from './rig.ts';

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
  const supervisor = child.pid ?? 0;
  for (const pid of [supervisor, worker, envoy]) pin(pid, MEASURED_CORE);
  return {
    rig: {
      name,
      port,
      path: `/openai${CHAT}`,
      headers: headers(key.rawKey),
      processes: [
        { part: 'envoy', pid: envoy },
        { part: 'node', pid: worker },
        { part: 'node', pid: supervisor },
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
