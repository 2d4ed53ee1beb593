import { renderMetrics } from './admin/metrics.ts';
import { gatewayIdentity, readiness, type Readiness } from './admin/readiness.ts';
import { startAdmin } from './admin/server.ts';
import { phaseDeadlineMs } from './config/cross-field-rules.ts';
import type { Config } from './config/schema.ts';
import type { EnvoyProcess } from './runtime/envoy-process.ts';
import { announceGateway } from './runtime/announce.ts';
import { createReadOrderStore } from './provider-credentials/read-orders-store.ts';
import { followCredentialOrders, startCredentials } from './runtime/credentials.ts';
import { startCertificates } from './runtime/certificates.ts';
import { followConfig, type Reload } from './runtime/reload.ts';
import { portIsFree } from './runtime/free-port.ts';
import { startGuard } from './runtime/guard.ts';
import { watchRedis } from './runtime/redis-watch.ts';
import { createRunDirectory } from './runtime/run-directory.ts';
import { workerAddresses } from './runtime/worker-protocol.ts';
import type { OperatorProcess } from './runtime/operator-process.ts';
import type { Workers } from './runtime/workers.ts';
import { startManagedEnvoy, startPage, startSidecars, type ServeOptions } from './serve-parts.ts';
import { createSigningKey, isWeakSecret } from './signing/signing-key.ts';
import { createEnvoyReplies } from './telemetry/envoy-lines.ts';
import type { Logger } from './telemetry/logger.ts';

export type { ServeOptions } from './serve-parts.ts';

/** A running gateway: Envoy, its sidecar processes and the admin listener. */
export interface Gateway {
  readonly readiness: Readiness;
  readonly adminPort: number;
  /** Finishes running requests, refuses new ones, and ends shortly after `server.drain_timeout` at the latest. */
  drain(): Promise<void>;
  kill(): Promise<void>;
}

/** Time for workers to finish after Envoy has stopped. */
const WORKERS_SETTLE_MS = 5_000;
const ENVOY_START_MS = 20_000;
/** Before the first request, Envoy checks sidecars every 100 ms. It also serves without some of them. */
const SIDECARS_FOUND_MS = 20_000;

/**
 * The composition root of `gateway serve`. Resolves once clients are served (with 503 while Redis is unavailable).
 * Sidecars and Envoy load in parallel; until a sidecar is ready, Envoy answers 503.
 * @throws ConfigError, MissingPartError or Error with the remedy, after everything has been stopped
 */
export async function serve(options: ServeOptions): Promise<Gateway> {
  const { config, log } = options;
  await refuseTakenPort(config);
  if (config.server.insecure_dev) warnOfInsecureDev(log);
  if (isWeakSecret(config.signature)) {
    log.warn('signature.secret has fewer than 32 bytes: anyone with a receipt could find it by brute force');
  }

  const closers: (() => Promise<void> | void)[] = [];
  async function closeAll(): Promise<void> {
    // In reverse start order. A failure must not keep other parts running.
    for (const close of closers.splice(0).reverse()) await Promise.resolve(close()).catch(() => undefined);
  }
  const state: State = {
    starting: true,
    draining: false,
    workers: undefined,
    envoy: undefined,
    page: undefined,
  };
  const replies = createEnvoyReplies();
  let reload: Reload | undefined = undefined;
  const inForce = (): Config => reload?.current() ?? config;
  try {
    const guard = startGuard();
    closers.push(() => {
      guard.release();
    });
    const run = await createRunDirectory(options.environment);
    guard.watchDirectory(run.path);
    closers.push(() => run.remove());

    const certificates = await startCertificates({
      config,
      run,
      log,
      onExtprocTls: (tls) => state.workers?.renewTls(tls),
      onUiTls: (tls) => state.page?.renewTls(tls),
    });
    closers.push(() => {
      certificates.close();
    });

    const credentials = await startCredentials({
      config,
      environment: options.environment,
      log,
      onChanged: (values) => state.workers?.renewCredentials(values),
    });
    closers.push(() => {
      credentials.close();
    });

    const addresses = workerAddresses(config, run.path);
    const workers = await startSidecars(options, { addresses, guard, certificates, credentials });
    state.workers = workers;
    closers.push(() => workers.kill());

    const page = config.ui.enabled ? startPage(options, guard, certificates) : undefined;
    page?.catch(() => undefined);
    closers.push(async () => (await page)?.stop());

    const redis = await watchRedis(config, log);
    closers.push(() => {
      redis.close();
    });
    const orders = followCredentialOrders({
      store: createReadOrderStore({ client: redis.client, deadlineMs: phaseDeadlineMs(config) }),
      credentials,
    });
    closers.push(() => {
      orders.close();
    });
    const readinessNow = (): Readiness => readinessOf(config, state, redis.unfit);
    const admin = await startAdmin({
      host: config.server.admin_host,
      port: config.server.admin_port,
      readiness: readinessNow,
      identity: () => gatewayIdentity(inForce()),
      reload: () => reload?.state(),
      metrics: async () =>
        renderMetrics((await state.workers?.metrics()) ?? [], {
          build: options.build,
          readiness: readinessNow(),
          workers: state.workers?.status() ?? [],
          envoyRestarts: state.envoy?.restarts ?? 0,
          envoyReplies: config.envoy.managed ? replies.counts() : undefined,
          credentials: credentials.states(),
          certificates: certificates.states(),
          reload: reload?.state(),
        }),
      publicKeys: () => publicKeysOf(inForce()),
    });
    closers.push(() => admin.close());

    if (config.envoy.managed) {
      const envoy = await startManagedEnvoy(options, { addresses, run, guard, replies, certificates });
      state.envoy = envoy;
      closers.push(() => envoy.stop());
      await Promise.all([workers.started(), envoy.waitUntilLive(ENVOY_START_MS)]);
      // If Envoy checked too early, it knows only some of the sidecars.
      await envoy.waitUntilMet(addresses.length, SIDECARS_FOUND_MS);
    } else {
      await workers.started();
    }
    state.page = await page;
    state.starting = false;
    const announcement = announceGateway({
      client: redis.client,
      build: options.build,
      config: inForce,
      readiness: readinessNow,
      workers: () => workers.status(),
      certificates: () => certificates.states(),
      reload: () => reload?.state(),
    });
    closers.push(() => announcement.close());
    if (options.reload !== undefined) {
      reload = await followReload(options.reload, options, workers, (next) => {
        state.page?.use(next);
      });
      closers.push(reload.close);
    }
    log.info({ address: listenerUrl(config), admin_port: admin.port }, 'the gateway is serving');
    return {
      get readiness() {
        return readinessNow();
      },
      adminPort: admin.port,
      drain: async () => {
        await drain(inForce(), state, workers, log);
        await closeAll();
      },
      kill: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Mutable state, also read by the admin listener. */
interface State {
  starting: boolean;
  draining: boolean;
  workers: Workers | undefined;
  envoy: EnvoyProcess | undefined;
  page: OperatorProcess | undefined;
}

function listenerUrl(config: Config): string {
  const { host, port, tls } = config.server;
  const scheme = tls.cert_file === undefined ? 'http' : 'https';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}

function followReload(
  source: NonNullable<ServeOptions['reload']>,
  { config, log }: ServeOptions,
  workers: Workers,
  onUsed: (next: Config) => void,
): Promise<Reload> {
  return followConfig({
    ...source,
    config,
    log,
    apply: async (next) => {
      await workers.prepare(next);
      workers.use(next);
      onUsed(next);
      log.level = next.server.log_level;
    },
  });
}

function publicKeysOf({ signature }: Config): object | undefined {
  return signature.enabled ? createSigningKey(signature).publicKeys : undefined;
}

async function refuseTakenPort({ envoy, server }: Config): Promise<void> {
  if (!envoy.managed || (await portIsFree(server.host, server.port))) return;
  const address = `${server.host}:${String(server.port)}`;
  throw new Error(
    `server.port: cannot listen on ${address} (in use, or not permitted); choose another port, or end the process that uses it`,
  );
}

function warnOfInsecureDev(log: Logger): void {
  log.warn(
    'SERVER_INSECURE_DEV=true: PLAIN HTTP. Keys and prompts can be read on the network. For development only; ' +
      'set server.tls.cert_file and server.tls.key_file',
  );
}

function readinessOf(config: Config, state: State, redisUnfit: boolean): Readiness {
  return readiness({
    envoyLive: config.envoy.managed ? !state.starting && state.envoy?.live === true : undefined,
    envoyLoops: state.envoy?.crashLoop === true,
    workers: state.workers?.status() ?? [],
    wantedWorkers: config.server.workers,
    redisUnfit,
    draining: state.draining,
  });
}

/** Stops Envoy first, while its sidecars still answer. The reverse order would fail requests in flight. */
async function drain(config: Config, state: State, workers: Workers, log: Logger): Promise<void> {
  if (state.draining) return;
  state.draining = true;
  log.info('draining: new requests are told to reconnect, then refused; requests in flight are finished');
  const { envoy } = state;
  if (envoy === undefined) {
    await workers.drain(config.server.drain_timeout + WORKERS_SETTLE_MS);
    return;
  }
  await envoy.drain(config.server.drain_timeout);
  await envoy.stop();
  await workers.drain(WORKERS_SETTLE_MS);
}
