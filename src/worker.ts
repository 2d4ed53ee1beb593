import { readFileSync } from 'node:fs';
import { createAuthenticate, type Authenticate } from './auth/authenticate.ts';
import { createFailureLimit } from './auth/failure-limit.ts';
import { createKeyStateStore } from './auth/key-state-store.ts';
import { createAllowedCheck } from './checks/allowed/check.ts';
import { createBudgetCheck, type BudgetCheck } from './checks/budget/check.ts';
import { createRedisBudgetStore } from './checks/budget/redis-store.ts';
import { inOrder } from './checks/order.ts';
import { createProviderToolsCheck } from './checks/provider-tools/check.ts';
import { phaseDeadlineMs } from './config/rules.ts';
import type { Config } from './config/schema.ts';
import { startExtProcServer, type ListenAddress } from './extproc/server.ts';
import { createRunner } from './pipeline/run.ts';
import { createPricing } from './pricing/pricing.ts';
import { connectRedis, firstAttempt, type RedisClient } from './redis/client.ts';
import { createFitness, type Fitness } from './redis/fitness.ts';
import { createRoute } from './routing/route.ts';
import { configuredUpstreams } from './routing/upstreams.ts';
import type { FromWorker, ToWorker, WorkerAddress } from './runtime/worker-protocol.ts';
import { createLogger, type Logger } from './telemetry/logger.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';
import { createObserver } from './telemetry/observer.ts';

const LEASE_MS = 30_000;
const NANO_USD = 1e9;

/**
 * The composition root of one sidecar process, forked by `gateway serve`: it says what is built from what, speaks
 * the worker protocol, and ends when its parent is gone.
 */
type Start = Extract<ToWorker, { kind: 'start' }>;

interface Worker {
  readonly metrics: Metrics;
  drain(): Promise<void>;
}

async function startWorker({ config, index, address }: Start): Promise<Worker> {
  const log = createLogger(config.server.log_level, { name: 'gateway', worker: index });
  const metrics = createMetrics();
  let fitness: Fitness | undefined = undefined;
  const redis = connectRedis(config.redis, {
    name: `gateway-worker-${index}`,
    onState(state, reason) {
      fitness?.reset();
      metrics.redisUp.set(state === 'ready' ? 1 : 0);
      say({ kind: 'redis', up: state === 'ready' });
      if (state === 'down')
        log.warn({ cause: reason?.message }, 'Redis is unavailable: requests are refused');
      else log.info('Redis is available');
    },
  });
  say({ kind: 'redis', up: redis.status === 'ready' });
  fitness = createFitness(redis, {
    deadlineMs: phaseDeadlineMs(config),
    onProblem: (problem) => log.error(problem),
  });

  const budget = budgetCheck(config, redis, log, metrics);
  const observer = createObserver(log, metrics);
  // One that listened before would refuse, for want of Redis, what the other workers serve.
  await firstAttempt(redis, config.redis.dial_timeout);
  const server = await startExtProcServer({
    address: listenAddress(config, address),
    token: config.server.extproc.token,
    services: {
      authenticate: authenticate(config, redis, fitness, log, metrics),
      route: createRoute(config, configuredUpstreams(config)),
      newRun: createRunner({
        checks: inOrder({
          allowed: createAllowedCheck(),
          providerTools: createProviderToolsCheck({
            allowed: config.proxy.provider_tools,
            action: config.proxy.provider_tools_action,
          }),
          budget: budget.check,
        }),
        shadowMode: config.server.shadow_mode,
        observer,
      }),
      settings: {
        maxPayloadBytes: config.server.max_payload_bytes,
        upstreamTimeoutMs: config.proxy.upstream_timeout,
        stripTelemetry: config.server.strip_budget_headers,
      },
      observer,
    },
  });
  return {
    metrics,
    async drain() {
      await server.drain(config.server.drain_timeout);
      await budget.close();
      redis.disconnect();
      await new Promise((resolve) => log.flush(resolve));
    },
  };
}

function authenticate(
  config: Config,
  client: RedisClient,
  fitness: Fitness,
  log: Logger,
  metrics: Metrics,
): Authenticate {
  const onNoteFailed = (failure: unknown): void => {
    log.debug({ cause: failure instanceof Error ? failure.message : '' }, 'Redis did not take a note');
  };
  const judge = createAuthenticate({
    keys: createKeyStateStore({ client, deadlineMs: phaseDeadlineMs(config), onNoteFailed }),
    countFailure: createFailureLimit({
      client,
      maxFailuresPerMinute: config.auth.max_failures_per_minute,
      onFailure({ clientAddress, overLimit }) {
        if (overLimit) metrics.authLimited.inc();
        else log.info({ client_address: clientAddress }, 'authentication failed');
      },
      onCountFailed: onNoteFailed,
    }),
    riskProfile: config.risk_profile,
  });
  return async (attempt) => {
    if (!fitness.fit && attempt.rawKey !== undefined) await fitness.assertFit();
    return judge(attempt);
  };
}

function budgetCheck(config: Config, client: RedisClient, log: Logger, metrics: Metrics): BudgetCheck {
  return createBudgetCheck({
    config,
    pricing: createPricing(config),
    store: createRedisBudgetStore({
      client,
      deadlineMs: phaseDeadlineMs(config),
      leaseMs: LEASE_MS,
      alertPercents: config.alerting.thresholds.map(({ percent }) => percent),
    }),
    onAlert(alert) {
      metrics.budgetAlerts.inc({ window: alert.window });
      log.warn(alert, 'budget threshold reached');
    },
    onCharged: (provider, costNanoUsd) => metrics.spend.inc({ provider }, costNanoUsd / NANO_USD),
    onOverReservation: () => metrics.overReservation.inc(),
    onFailure: (cause) =>
      log.warn({ cause: cause instanceof Error ? cause.message : '' }, 'settlement postponed'),
  });
}

function listenAddress(config: Config, address: WorkerAddress): ListenAddress {
  const { cert_file, key_file, ca_file } = config.server.extproc.tls;
  if (address.kind === 'unix' || cert_file === undefined || key_file === undefined || ca_file === undefined) {
    return address;
  }
  const tls = { cert: readFileSync(cert_file), key: readFileSync(key_file), clientCa: readFileSync(ca_file) };
  return { ...address, tls };
}

function say(message: FromWorker): void {
  process.send?.(message);
}

let worker: Worker | undefined;

async function receive(message: ToWorker): Promise<void> {
  switch (message.kind) {
    case 'start':
      worker = await startWorker(message);
      say({ kind: 'listening' });
      break;
    case 'metrics':
      say({
        kind: 'metrics',
        id: message.id,
        metrics: (await worker?.metrics.registry.getMetricsAsJSON()) ?? [],
      });
      break;
    case 'drain':
      await worker?.drain();
      say({ kind: 'drained' });
      process.exit(0);
  }
}

process.on('message', (message: ToWorker) => {
  receive(message).catch((cause: unknown) => {
    say({ kind: 'failed', message: cause instanceof Error ? cause.message : 'the worker could not start' });
    process.exit(1);
  });
});
// A parent that is gone cannot supervise: better no worker than an orphan.
process.on('disconnect', () => process.exit(1));
// The terminal's Ctrl-C reaches the whole process group; the parent decides when a worker leaves.
process.on('SIGINT', () => undefined);
