import type { Alerts } from './alerting/create.ts';
import { authentication } from './authentication.ts';
import { createChecks } from './composition/create.ts';
import { approvalPatience, phaseDeadlineMs, POLICY_LIMITS_MS } from './config/cross-field-rules.ts';
import type { Config } from './config/schema.ts';
import type { Approvals } from './escalation/approvals.ts';
import type { ApprovalsOnRedisDeps } from './escalation/create.ts';
import { createAdmission } from './extproc/admission/admission.ts';
import { createPlaces, placeLimits } from './extproc/places.ts';
import { MAX_OPEN_STREAMS, startExtProcServer } from './extproc/server.ts';
import type { ListenAddress } from './extproc/transport/transport.ts';
import type { TokenGate } from './auth/jwt/token-gate.ts';
import { createRunner } from './pipeline/run.ts';
import { policySources } from './policy/policy-files.ts';
import { loadLivePolicies, type LivePolicies } from './policy/live-policies.ts';
import { connectRedis, firstAttempt, type RedisClient } from './redis/client.ts';
import { createFitness, type Fitness } from './redis/fitness.ts';
import { createAuthorityPath } from './routing/authorities.ts';
import { createRoute } from './routing/route.ts';
import { createProviderCredentials } from './provider-credentials/choose.ts';
import type { CredentialValues } from './provider-credentials/follow.ts';
import { configuredUpstreams } from './routing/upstreams.ts';
import { loadSigner } from './signing/load-signer.ts';
import type { ExtprocTls, WorkerAddress } from './runtime/worker-protocol.ts';
import { createAnonymousLines } from './telemetry/anonymous-lines.ts';
import { createAuditLog, createLogger, standardOutput, type Logger } from './telemetry/logger.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';
import { createObserver } from './telemetry/observer.ts';
import { startAtZero } from './zero-series.ts';
import { messageOf } from './errors.ts';

/** Time limit for compiling the policies. */
const POLICY_START_MS = 30_000;
const MAX_WAITING_FOR_POLICIES = 1_000;

export interface SidecarOptions {
  readonly config: Config;
  /** Index among `server.workers`, from 0. */
  readonly index: number;
  readonly address: WorkerAddress;
  readonly tls?: ExtprocTls | undefined;
  /** Provider credentials in force at the start. */
  readonly credentials?: CredentialValues;
  /** The gateway's version, for traces. */
  readonly version?: string | undefined;
  readonly onRedis: (up: boolean) => void;
}

export interface Sidecar {
  readonly metrics: Metrics;
  /** Uses these certificates for new connections of Envoy. */
  renewTls(tls: ExtprocTls): void;
  renewCredentials(credentials: CredentialValues): void;
  /** Refuses new requests, finishes running ones, settles, and disconnects from Redis. */
  drain(): Promise<void>;
}

/** The composition root of one sidecar process. */
export async function startSidecar(options: SidecarOptions): Promise<Sidecar> {
  const { config, index, address, tls, version, onRedis } = options;
  const fields = { name: 'gateway', worker: index };
  const output = standardOutput();
  const log = createLogger(config.server.log_level, fields, output);
  // The audit trail, if enabled, contains the verdicts.
  const auditLog = createAuditLog(fields, output, config.audit.enabled ? 'silent' : 'info');
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

  // Loaded only if the audit trail is on.
  const audit = config.audit.enabled
    ? await (await import('./audit/start-audit.ts')).startAudit({ config, redis, output, log, metrics })
    : undefined;
  const trail = audit?.observer;
  const tracing = config.otel.enabled
    ? await (
        await import('./tracing/start-tracing.ts')
      ).startTracing({ config, worker: index, version, redis, output, metrics, log })
    : undefined;
  const policies = config.policy.enabled ? await livePolicies(config, log, metrics) : undefined;
  const alerts = await alertsOf(config, log, metrics);
  const approvals = await approvalsOf(
    { config, redis, log, auditLog: trail ? { info: trail.noted } : auditLog, metrics, alerts },
    index,
  );
  const checks = await createChecks({
    config,
    redis,
    log,
    auditLog,
    metrics,
    policies,
    approvals,
    alerts,
    trail,
    onCost: tracing?.charged,
  });
  const logged = createObserver(log, auditLog, metrics);
  const observer = audit?.watching(logged) ?? logged;
  const telemetry = { log, auditLog, metrics };
  const identity = config.zsp.enabled ? await readsTokens(config, redis, telemetry) : undefined;
  const providerCredentials = createProviderCredentials({
    config,
    values: options.credentials ?? {},
    onAnswered: (credential, isRefused) =>
      metrics.credentialAnswers.inc({ credential, outcome: isRefused ? 'refused' : 'accepted' }),
  });
  const anonymousLines = createAnonymousLines({
    maxPerMinute: config.auth.max_failures_per_minute,
    onUnlogged(requests) {
      const what = 'more requests without a valid key, not logged individually';
      auditLog.info({ requests }, what);
      trail?.unlogged(requests, what);
    },
  });
  // A worker without Redis would refuse what the other workers can serve.
  await firstAttempt(redis, config.redis.dial_timeout);
  const admission = createAdmission({
    limitMs: config.server.shed_after,
    onShed: (keys) => metrics.shedRequests.inc({ keys }),
  });
  const server = await startExtProcServer({
    address: listenAddress(config, address, tls),
    transport: config.server.extproc.transport,
    token: config.server.extproc.token,
    services: {
      ...authentication({ config, client: redis, fitness, tokens: identity?.tokens, ...telemetry }),
      providerCredentials,
      isGatewayToken: identity?.isGatewayToken,
      signer: config.signature.enabled ? await loadSigner(config.signature) : undefined,
      admission,
      places: createPlaces(placeLimits(config.server, MAX_OPEN_STREAMS)),
      authorityPath: createAuthorityPath(config),
      route: createRoute(config, configuredUpstreams(config)),
      newRun: createRunner({
        checks:
          tracing === undefined ? checks.inOrder : checks.inOrder.map((check) => tracing.watched(check)),
        shadowMode: config.server.shadow_mode,
        observer,
        newBatch: checks.newBatch,
        onJudgedAgain: (by) => metrics.judgedAgain.inc({ by }),
      }),
      settings: {
        upstreamTimeoutMs: config.proxy.upstream_timeout,
        stripTelemetry: config.server.strip_budget_headers,
        errorFormat: config.server.error_format,
        refusalDetails: config.server.refusal_details,
        allowedOrigins: config.mcp.enabled ? config.mcp.allowed_origins : [],
        patience: approvalPatience(config),
      },
      observer,
      takeAnonymousLine: anonymousLines.take,
      ...(tracing && { tracing: tracing.edge }),
      ...(audit && config.audit.required && { audited: audit.audited }),
    },
  });
  return {
    metrics,
    renewTls: (renewed) => {
      server.renewTls(renewed);
    },
    renewCredentials: (renewed) => {
      providerCredentials.renew(renewed);
    },
    async drain() {
      await server.drain(config.server.drain_timeout);
      admission.close();
      fitness.close();
      await checks.close();
      approvals?.close();
      await alerts?.close();
      await policies?.close();
      anonymousLines.flush();
      await audit?.close();
      await tracing?.close();
      redis.disconnect();
      await new Promise((resolve) => log.flush(resolve));
    },
  };
}

/** Loads alerting only if it is configured. */
async function alertsOf(config: Config, log: Logger, metrics: Metrics): Promise<Alerts | undefined> {
  if (config.alerting.webhook_url === '') return undefined;
  const { createAlerts } = await import('./alerting/create.ts');
  return createAlerts(config, { log, metrics });
}

/** Loads approvals only if they are configured. */
async function approvalsOf(
  deps: Omit<ApprovalsOnRedisDeps, 'name'>,
  worker: number,
): Promise<Approvals | undefined> {
  if (!deps.config.zsp.escalation_enabled) return undefined;
  const { createApprovalsOnRedis } = await import('./escalation/create.ts');
  return createApprovalsOnRedis({ ...deps, name: `gateway-approvals-${String(worker)}` });
}

/** Loads and watches the policies; throws if none can be loaded. */
function livePolicies({ policy }: Config, log: Logger, metrics: Metrics): Promise<LivePolicies> {
  const { wait, evaluation, grace } = POLICY_LIMITS_MS;
  return loadLivePolicies({
    sources: policySources(policy),
    engine: {
      evaluationMs: evaluation,
      graceMs: grace,
      startMs: POLICY_START_MS,
      waitMs: wait,
      maxWaiting: MAX_WAITING_FOR_POLICIES,
      keepsSpare: true,
      onReplaced(cause) {
        log.error({ cause: messageOf(cause) }, 'the policy engine failed and restarts');
      },
    },
    onLoaded(digest) {
      metrics.policyLoads.inc({ outcome: 'loaded' });
      metrics.policiesBroken.set(0);
      log.info({ policy_set: digest }, 'policies are in force');
    },
    onBroken(cause) {
      metrics.policyLoads.inc({ outcome: 'broken' });
      metrics.policiesBroken.set(1);
      log.error(
        { cause: messageOf(cause) },
        'the changed policies cannot be loaded: the previous ones stay in force',
      );
    },
  });
}

interface Telemetry {
  readonly log: Logger;
  readonly auditLog: Logger;
  readonly metrics: Metrics;
}

/** Verifies JWTs and their proofs; loaded only if they are used. */
async function readsTokens(
  config: Config,
  client: RedisClient,
  { log, metrics }: Telemetry,
): Promise<{
  readonly tokens: TokenGate;
  readonly isGatewayToken: (credential: string) => boolean;
}> {
  const [{ startTokenGate }, { isGatewayToken }] = await Promise.all([
    import('./auth/jwt/token-gate.ts'),
    import('./auth/jwt/presented.ts'),
  ]);
  const tokens = startTokenGate({
    config,
    client,
    deadlineMs: phaseDeadlineMs(config),
    onKeysFetched(keys) {
      metrics.keySetReads.inc({ outcome: 'read' });
      if (keys === 0) log.warn('the key set of zsp.jwks_url has no key that can verify JWTs');
    },
    onKeysFailed(cause) {
      metrics.keySetReads.inc({ outcome: 'failed' });
      log.warn(
        { cause: reasonOf(cause) },
        'zsp.jwks_url cannot be read: JWTs are verified with the previous keys',
      );
    },
  });
  return { tokens, isGatewayToken: (credential) => isGatewayToken(credential, config.zsp) };
}

/** The cause of a failed `fetch` has the details. */
function reasonOf(cause: unknown): string {
  return cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : messageOf(cause);
}

/** @throws Error rather than listen without the TLS that is configured */
function listenAddress(config: Config, address: WorkerAddress, tls: ExtprocTls | undefined): ListenAddress {
  if (address.kind === 'unix' || config.server.extproc.tls.cert_file === undefined) return address;
  if (tls === undefined)
    throw new Error('server.extproc.tls: the certificates were not handed to this worker');
  return { ...address, tls };
}
