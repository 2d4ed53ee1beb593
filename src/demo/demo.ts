import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';

import { stringify } from 'yaml';

import { createKeyStore } from '../auth/key-store.ts';
import { createRedisBudgetStore } from '../checks/budget/redis-store.ts';
import { loadConfig } from '../config/load.ts';
import { preflight } from '../config/preflight.ts';
import type { Config, ConfigInput } from '../config/schema.ts';
import { envoyBootstrap } from '../envoy/render.ts';
import { createPagePassword } from '../operator/sign-in/password-store.ts';
import { connectRedis, waitUntilReady } from '../redis/client.ts';
import { freePort } from '../runtime/free-port.ts';
import { startGuard } from '../runtime/guard.ts';
import type { Environment } from '../config/environment.ts';
import type { TellProgress } from '../runtime/program.ts';
import { startRedis } from '../runtime/redis-process.ts';
import { findRedisServer } from '../runtime/redis-server.ts';
import { createRunDirectory } from '../runtime/run-directory.ts';
import { serve, type Gateway, type ServeOptions } from '../serve.ts';
import { createLogger } from '../telemetry/logger.ts';
import type { DemoFacts } from './instructions.ts';
import { MCP_PATH } from './mcp.ts';
import { startDemoProvider } from './provider.ts';
import { SAMPLE_KEYS, startTraffic } from './traffic.ts';

export interface DemoOptions {
  readonly environment: Environment;
  readonly progress: TellProgress;
  readonly build: ServeOptions['build'];
  /** See `ServeOptions`. */
  readonly ahead?: ChildProcess;
  /** Receives the gateway's log, from level `error` up. */
  readonly log: { write(line: string): unknown };
}

export interface Demo extends DemoFacts {
  readonly gateway: Pick<Gateway, 'drain' | 'kill'>;
  close(): Promise<void>;
}

/** Pays for a few hundred short calls. */
const HOURLY_BUDGET_USD = 0.05;

/** The sum of the teams' own budgets is higher. */
const TEAMS_DAILY_USD = 0.5;
const SAMPLE_OWNERS = SAMPLE_KEYS.flatMap(({ owner = [] }) => owner);
const CONFIG_HEAD = `# Written by the demo and removed when it stops. It serves plain HTTP on this machine only. To check or serve this
# file yourself, add a certificate (server.tls) or set SERVER_INSECURE_DEV=true.
`;

/** Makes calls wait for approval on the operator page. */
const APPROVALS_CARD = `metadata: { name: demo-approvals, version: '1' }
rules:
  - name: ask-before-deleting
    match: { type: mcp_tool_call, tool: delete_file }
    action: escalate
    reason: 'a person must approve before {tool_name} deletes a file'
    score: false
`;

/** Starts a complete gateway with its own Redis, provider and keys. Never uses the Redis at `redis.addr`. */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const { environment, progress } = options;
  const closers: (() => Promise<void> | void)[] = [];
  async function close(): Promise<void> {
    for (const closer of closers.splice(0).reverse()) await closer();
  }
  try {
    const guard = startGuard();
    closers.push(() => {
      guard.release();
    });
    const run = await createRunDirectory(environment);
    guard.watchDirectory(run.path);
    closers.push(() => run.remove());

    progress('Starting Redis …');
    const program = await findRedisServer(environment, progress);
    const redis = await startRedis({ program, directory: run.path, guard });
    closers.push(() => redis.stop());
    progress('Starting the demo provider …');
    const provider = await startDemoProvider();
    closers.push(() => provider.close());

    const configFile = run.file('gateway.yaml');
    const card = run.file('approvals.yaml');
    await writeFile(card, APPROVALS_CARD, { mode: 0o600 });
    const settings = await demoConfig(redis.port, provider.baseUrl, card);
    await writeFile(configFile, `${CONFIG_HEAD}${stringify(settings)}`, { mode: 0o600 });
    // Excludes the caller's environment, whose REDIS_ADDR must not apply.
    const { config, sources } = loadConfig({ path: configFile, env: { SERVER_INSECURE_DEV: 'true' } });
    preflight(config, sources);

    progress('Starting Envoy and the sidecar …');
    const log = createLogger('warn', { name: 'gateway' }, options.log);
    const gateway = await serve({
      config,
      renderEnvoy: (layout) => Promise.resolve(JSON.stringify(envoyBootstrap(config, layout))),
      environment,
      log: log.child({}, { level: 'error' }),
      // Envoy's lines would hide the demo's own output.
      onEnvoyLine: () => undefined,
      workerOutput: 'ignore',
      progress,
      ...(options.build !== undefined && { build: options.build }),
      ...(options.ahead === undefined ? {} : { ahead: options.ahead }),
    });
    closers.push(() => gateway.kill());
    const url = `http://127.0.0.1:${String(config.server.port)}`;
    const { sampleKeys, ...secrets } = await createSecrets(config);
    const traffic = startTraffic(url, sampleKeys);
    closers.push(() => traffic.stop());
    return {
      gateway: {
        kill: () => gateway.kill(),
        // Sample calls that wait for an approval must not delay the drain.
        drain: async () => {
          await traffic.stop();
          await gateway.drain();
        },
      },
      url,
      // Over plain HTTP, browsers keep the session cookie for this host name.
      pageUrl: `http://localhost:${String(config.ui.port)}`,
      adminUrl: `http://127.0.0.1:${String(gateway.adminPort)}`,
      configFile,
      budgetUsd: HOURLY_BUDGET_USD,
      ...secrets,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns the demo's configuration, on the default ports if they are free. */
async function demoConfig(redisPort: number, providerUrl: string, card: string): Promise<ConfigInput> {
  const port = await freePort('127.0.0.1', 8080);
  const adminPort = await freePort('127.0.0.1', 9090);
  const pagePort = await freePort('127.0.0.1', 9091);
  return {
    server: {
      host: '127.0.0.1',
      port,
      admin_port: adminPort,
      log_level: 'warn',
      drain_timeout: '5s',
      dlp: {
        enabled: true,
        scan_credentials: true,
        requests: 'mask',
        request_classes: ['credentials'],
      },
    },
    mcp: {
      enabled: true,
      inspector: { credentials: 'mask' },
      servers: [{ name: 'demo', url: `${providerUrl}${MCP_PATH}` }],
    },
    policy: { enabled: true, presets: ['safety', 'mcp_sandbox'], policy_file: card },
    zsp: {
      escalation_enabled: true,
      escalation_secret: randomBytes(32).toString('base64url'),
      escalation_timeout: '60s',
    },
    ui: { enabled: true, port: pagePort },
    // For the operator page: decisions, spend, and a budget shared by the teams of the sample traffic.
    audit: { enabled: true, stdout: false },
    spend: { enabled: true },
    budgets: [{ name: 'all-teams', match: { owners: SAMPLE_OWNERS }, daily: TEAMS_DAILY_USD }],
    redis: { addr: `127.0.0.1:${String(redisPort)}` },
    providers: { openai: { base_url: providerUrl }, anthropic: { base_url: providerUrl } },
  };
}

async function createSecrets(config: Config): Promise<DemoSecrets> {
  const client = connectRedis(config.redis, { name: 'gateway-demo' });
  const deadlineMs = config.redis.read_timeout;
  try {
    await waitUntilReady(client, config.redis.dial_timeout);
    const keys = createKeyStore(client);
    const budgets = createRedisBudgetStore({ client, deadlineMs, alertPercents: [] });
    const { rawKey, record } = await keys.create({
      name: 'demo',
      provider: 'openai',
      allowedProviders: ['anthropic'],
    });
    await budgets.setLimits(record.keyHash, { hourly: HOURLY_BUDGET_USD * 1e9 });
    const sampleKeys: string[] = [];
    for (const { dailyUsd, ...key } of SAMPLE_KEYS) {
      const sample = await keys.create(key);
      await budgets.setLimits(sample.record.keyHash, { daily: dailyUsd * 1e9 });
      sampleKeys.push(sample.rawKey);
    }
    const pagePassword = randomBytes(12).toString('base64url');
    await createPagePassword({ client, deadlineMs }).set(pagePassword);
    return { rawKey, keyHash: record.keyHash, sampleKeys, pagePassword };
  } finally {
    client.disconnect();
  }
}

interface DemoSecrets {
  readonly rawKey: string;
  readonly keyHash: string;
  readonly sampleKeys: readonly string[];
  readonly pagePassword: string;
}
