import type { DestinationStream } from 'pino';
import type { Alerts } from './alerting/create.ts';
import { authentication } from './authentication.ts';
import { createChecks } from './composition/create.ts';
import { approvalPatience, phaseDeadlineMs, POLICY_LIMITS_MS } from './config/cross-field-rules.ts';
import type { Config } from './config/schema.ts';
import type { Approvals } from './escalation/approvals.ts';
import type { ApprovalsOnRedisDeps } from './escalation/create.ts';
import { createAdmission } from './extproc/admission/admission.ts';
import { createPlaces, placeLimits } from './extproc/places.ts';
import type { TokenGate } from './auth/jwt/token-gate.ts';
import { createRunner } from './pipeline/run.ts';
import { policySources } from './policy/policy-files.ts';
import { loadLivePolicies, type LivePolicies } from './policy/live-policies.ts';
import { createProviderCredentials } from './provider-credentials/choose.ts';
import type { CredentialValues } from './provider-credentials/follow.ts';
import { createAuthorityPath } from './routing/authorities.ts';
import type { Aliases } from './routes/aliases.ts';
import type { AliasesParts } from './routes/create.ts';
import { createRoute } from './routing/route.ts';
import { configuredUpstreams } from './routing/upstreams.ts';
import { createAnonymousLines } from './telemetry/anonymous-lines.ts';
import { createObserver } from './telemetry/observer.ts';
import { messageOf } from './errors.ts';
import { MAX_OPEN_STREAMS } from './extproc/server.ts';
import type { EdgeServices } from './extproc/services.ts';
import type { PolicyState } from './runtime/worker-protocol.ts';
import type { RedisClient } from './redis/client.ts';
import type { Fitness } from './redis/fitness.ts';
import { createAuditLog, createLogger, type Logger } from './telemetry/logger.ts';
import type { Metrics } from './telemetry/metrics.ts';
import type { SidecarTracing } from './tracing/start-tracing.ts';

const POLICY_START_MS = 30_000;
const MAX_WAITING_FOR_POLICIES = 1_000;
const MAX_REASON_CHARS = 1_000;

/** Shared by all configurations of one sidecar process. */
export interface SidecarParts {
  readonly index: number;
  readonly output: DestinationStream;
  readonly metrics: Metrics;
  readonly redis: RedisClient;
  readonly fitness: Fitness;
  readonly credentials: () => CredentialValues;
  readonly onPolicies?: ((state: PolicyState) => void) | undefined;
  /** Undefined unless `otel.enabled`. */
  readonly tracing: SidecarTracing | undefined;
}

export interface ConfiguredServices {
  readonly services: EdgeServices;
  renewCredentials(credentials: CredentialValues): void;
  /** Must be called after the last stream has settled and before Redis is disconnected. */
  close(): Promise<void>;
}

/**
 * Builds the services of one configuration.
 * @throws Error if the configuration cannot be used, after stopping everything that was started
 */
export async function createServices(config: Config, parts: SidecarParts): Promise<ConfiguredServices> {
  const closers: (() => Promise<void> | void)[] = [];
  async function close(): Promise<void> {
    for (const end of closers.splice(0).reverse()) await end();
  }
  try {
    return { ...(await build(config, parts, (end) => closers.push(end))), close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

async function build(
  config: Config,
  { index, output, metrics, redis, fitness, tracing, credentials, onPolicies }: SidecarParts,
  onClose: (end: () => Promise<void> | void) => void,
): Promise<Omit<ConfiguredServices, 'close'>> {
  const fields = { name: 'gateway', worker: index };
  const log = createLogger(config.server.log_level, fields, output);
  // If enabled, the audit trail contains the verdicts.
  const auditLog = createAuditLog(fields, output, config.audit.enabled ? 'silent' : 'info');
  onClose(() => new Promise((resolve) => log.flush(() => resolve())));
  const audit = config.audit.enabled
    ? await (await import('./audit/start-audit.ts')).startAudit({ config, redis, output, log, metrics })
    : undefined;
  const trail = audit?.observer;
  onClose(() => audit?.close());
  const policies = config.policy.enabled
    ? await livePolicies(config, { log, metrics, onPolicies })
    : undefined;
  onClose(() => policies?.close());
  const alerts = await alertsOf(config, log, metrics);
  onClose(() => alerts?.close());
  const approvals = await approvalsOf(
    { config, redis, log, auditLog: trail ? { info: trail.noted } : auditLog, metrics, alerts },
    index,
  );
  onClose(() => approvals?.close());
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
  onClose(() => checks.close());
  const logged = createObserver(log, auditLog, metrics);
  const observer = audit?.watching(logged) ?? logged;
  const telemetry = { log, auditLog, metrics };
  const identity = config.zsp.enabled ? await loadTokenGate(config, redis, telemetry) : undefined;
  const anonymousLines = createAnonymousLines({
    maxPerMinute: config.auth.max_failures_per_minute,
    onUnlogged(requests) {
      const what = 'further requests without a valid key, not logged individually';
      auditLog.info({ requests }, what);
      trail?.unlogged(requests, what);
    },
  });
  onClose(anonymousLines.flush);
  const admission = createAdmission({
    limitMs: config.server.shed_after,
    onShed: (keys) => metrics.shedRequests.inc({ keys }),
  });
  onClose(() => {
    admission.close();
  });
  const providerCredentials = createProviderCredentials({
    config,
    values: credentials(),
    onAnswered(credential, isRefused) {
      const labels = { credential, outcome: isRefused ? 'refused' : 'accepted' };
      metrics.credentialAnswers.inc(labels);
      metrics.credentialAnsweredAt.set(labels, Date.now() / 1_000);
    },
  });
  const route = createRoute(config, configuredUpstreams(config));
  return {
    renewCredentials: (renewed) => {
      providerCredentials.renew(renewed);
    },
    services: {
      providerCredentials,
      ...authentication({ config, client: redis, fitness, tokens: identity?.tokens, ...telemetry }),
      isGatewayToken: identity?.isGatewayToken,
      signer: config.signature.enabled
        ? (await import('./signing/signer.ts')).signerOf(config.signature)
        : undefined,
      admission,
      places: createPlaces(placeLimits(config.server, MAX_OPEN_STREAMS)),
      authorityPath: createAuthorityPath(config),
      route,
      aliases: await aliasesOf({ config, route, providerCredentials, client: redis, log }),
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
  };
}

async function aliasesOf(parts: AliasesParts): Promise<Aliases | undefined> {
  if (Object.keys(parts.config.models).length === 0) return undefined;
  const { createAliasesOnRedis } = await import('./routes/create.ts');
  return createAliasesOnRedis(parts);
}

async function alertsOf(config: Config, log: Logger, metrics: Metrics): Promise<Alerts | undefined> {
  if (config.alerting.webhook_url === '') return undefined;
  const { createAlerts } = await import('./alerting/create.ts');
  return createAlerts(config, { log, metrics });
}

async function approvalsOf(
  deps: Omit<ApprovalsOnRedisDeps, 'name'>,
  worker: number,
): Promise<Approvals | undefined> {
  if (!deps.config.zsp.escalation_enabled) return undefined;
  const { createApprovalsOnRedis } = await import('./escalation/create.ts');
  return createApprovalsOnRedis({ ...deps, name: `gateway-approvals-${String(worker)}` });
}

/**
 * Loads and watches the policies.
 * @throws Error if the policies cannot be loaded
 */
function livePolicies(
  { policy }: Config,
  { log, metrics, onPolicies }: Omit<Telemetry, 'auditLog'> & Pick<SidecarParts, 'onPolicies'>,
): Promise<LivePolicies> {
  const { wait, evaluation, grace } = POLICY_LIMITS_MS;
  let inForce = '';
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
        log.error({ cause: messageOf(cause) }, 'the policy engine failed and is restarted');
      },
    },
    onLoaded(digest) {
      metrics.policyLoads.inc({ outcome: 'loaded' });
      metrics.policiesBroken.set(0);
      log.info({ policy_set: digest }, 'policies are in effect');
      inForce = digest;
      onPolicies?.({ digest, broken: undefined });
    },
    onBroken(cause) {
      metrics.policyLoads.inc({ outcome: 'broken' });
      metrics.policiesBroken.set(1);
      log.error(
        { cause: messageOf(cause) },
        'the changed policies cannot be loaded: the previous ones stay in effect',
      );
      onPolicies?.({ digest: inForce, broken: messageOf(cause).slice(0, MAX_REASON_CHARS) });
    },
  });
}

interface Telemetry {
  readonly log: Logger;
  readonly auditLog: Logger;
  readonly metrics: Metrics;
}

async function loadTokenGate(
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

/** Returns the details of a failed `fetch`, which are in its cause. */
function reasonOf(cause: unknown): string {
  return cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : messageOf(cause);
}
