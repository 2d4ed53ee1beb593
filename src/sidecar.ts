import type { CredentialValues } from './provider-credentials/follow.ts';
import { messageOf } from './errors.ts';
import { phaseDeadlineMs } from './config/cross-field-rules.ts';
import type { Config } from './config/schema.ts';
import { startExtProcServer } from './extproc/server.ts';
import type { ListenAddress } from './extproc/transport/transport.ts';
import { connectRedis, firstAttempt } from './redis/client.ts';
import { createFitness, type Fitness } from './redis/fitness.ts';
import type { ExtprocTls, PolicyState, WorkerAddress } from './runtime/worker-protocol.ts';
import { createServices, type ConfiguredServices } from './sidecar-services.ts';
import { createLogger, standardOutput } from './telemetry/logger.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';
import { startAtZero } from './zero-series.ts';

export interface SidecarOptions {
  readonly config: Config;
  /** Index among `server.workers`, from 0. */
  readonly index: number;
  readonly address: WorkerAddress;
  readonly tls?: ExtprocTls | undefined;
  readonly credentials?: CredentialValues;
  /** The gateway's version, for traces. */
  readonly version?: string | undefined;
  readonly onRedis: (up: boolean) => void;
  readonly onPolicies?: (state: PolicyState) => void;
}

export interface Sidecar {
  readonly metrics: Metrics;
  /** Uses these certificates for new connections from Envoy. */
  renewTls(tls: ExtprocTls): void;
  renewCredentials(credentials: CredentialValues): void;
  /**
   * Builds everything for a new configuration, which `useNext` activates.
   * @throws Error if the configuration cannot be used
   */
  prepare(config: Config): Promise<void>;
  /** Serves new streams with the prepared configuration; open ones keep theirs. Returns false without one. */
  useNext(): boolean;
  dropNext(): Promise<void>;
  /** Refuses new requests, finishes running ones, settles, and disconnects from Redis. */
  drain(): Promise<void>;
}

/** Maximum number of earlier configurations with open streams. Each takes about 30 MB. */
const MAX_EARLIER = 2;

/** The composition root of one sidecar process. */
export async function startSidecar(options: SidecarOptions): Promise<Sidecar> {
  const { config, index, address, tls, version, onRedis } = options;
  const output = standardOutput();
  const log = createLogger(config.server.log_level, { name: 'gateway', worker: index }, output);
  const metrics = createMetrics();
  startAtZero(metrics, config);
  let fitness: Fitness | undefined = undefined;
  const redis = connectRedis(config.redis, {
    name: `gateway-worker-${index}`,
    onState(state, reason) {
      fitness?.reset();
      metrics.redisUp.set(state === 'ready' ? 1 : 0);
      onRedis(state === 'ready');
      if (state === 'down')
        log.warn({ cause: reason?.message }, 'Redis is unavailable: requests are refused');
      else log.info('Redis is available');
    },
  });
  onRedis(redis.status === 'ready');
  fitness = createFitness(redis, {
    deadlineMs: phaseDeadlineMs(config),
    onProblem: (problem) => log.error(problem),
  });
  const tracing = config.otel.enabled
    ? await (
        await import('./tracing/start-tracing.ts')
      ).startTracing({ config, worker: index, version, redis, output, metrics, log })
    : undefined;
  let credentials = options.credentials ?? {};
  const parts = {
    index,
    output,
    metrics,
    redis,
    fitness,
    tracing,
    credentials: () => credentials,
    onPolicies: options.onPolicies,
  };

  let inForce = { config, ...(await createServices(config, parts)) };
  let next: typeof inForce | undefined;
  /** Earlier configurations with streams that have not ended. */
  const earlier = new Set<ConfiguredServices>();
  // Without Redis, a worker would refuse requests that other workers can serve.
  await firstAttempt(redis, config.redis.dial_timeout);
  const server = await startExtProcServer({
    address: listenAddress(config, address, tls),
    transport: config.server.extproc.transport,
    token: config.server.extproc.token,
    services: inForce.services,
  });
  async function dropNext(): Promise<void> {
    const dropped = next;
    next = undefined;
    await dropped?.close();
  }
  return {
    metrics,
    renewTls: (renewed) => {
      server.renewTls(renewed);
    },
    renewCredentials: (renewed) => {
      credentials = renewed;
      for (const one of [inForce, next, ...earlier]) one?.renewCredentials(renewed);
    },
    async prepare(changed) {
      await dropNext();
      if (earlier.size >= MAX_EARLIER)
        throw new Error('streams of two earlier configurations are still open: wait until they end');
      next = { config: changed, ...(await createServices(changed, parts)) };
    },
    useNext() {
      if (next === undefined) return false;
      const before = inForce;
      inForce = next;
      next = undefined;
      log.level = inForce.config.server.log_level;
      startAtZero(metrics, inForce.config);
      earlier.add(before);
      void server
        .use(inForce.services)
        .then(before.close)
        .catch((cause: unknown) =>
          log.error({ cause: messageOf(cause) }, 'an earlier configuration could not be closed'),
        )
        .finally(() => earlier.delete(before));
      return true;
    },
    dropNext,
    async drain() {
      await server.drain(inForce.config.server.drain_timeout);
      fitness.close();
      await dropNext();
      await Promise.all([inForce, ...earlier].map((one) => one.close()));
      await tracing?.close();
      redis.disconnect();
      await new Promise((resolve) => log.flush(resolve));
    },
  };
}

/** @throws Error if TLS is configured, but its certificates are missing */
function listenAddress(config: Config, address: WorkerAddress, tls: ExtprocTls | undefined): ListenAddress {
  if (address.kind === 'unix' || config.server.extproc.tls.cert_file === undefined) return address;
  if (tls === undefined) throw new Error('server.extproc.tls: this worker has not received the certificates');
  return { ...address, tls };
}
