import { randomUUID } from 'node:crypto';
import { createAuthenticateAgain } from '../auth/authenticate.ts';
import { createKeyStateStore } from '../auth/key-state-store.ts';
import type { Config } from '../config/schema.ts';
import { phaseDeadlineMs } from '../config/rules.ts';
import { createContentDetector, createFindContentAll } from '../detectors/content.ts';
import { maskSecrets } from '../detectors/mask.ts';
import { normalizeAll } from '../normalize/normalize.ts';
import type { Check } from '../pipeline/check.ts';
import type { ReportSecretLeak } from '../pipeline/secret-leak.ts';
import type { LivePolicies } from '../policy/live-policies.ts';
import { createMasksOf } from '../policy/masking/masks.ts';
import { createModelOf } from '../pricing/deployments.ts';
import { createPricing } from '../pricing/pricing.ts';
import type { RedisClient } from '../redis/client.ts';
import { createAudit } from '../telemetry/audit.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { createAllowedCheck } from './allowed/check.ts';
import { createBudgetCheck, type BudgetCheck } from './budget/check.ts';
import { createRedisBudgetStore } from './budget/redis-store.ts';
import { createPolicyRewriter, maskAnswer, maskRequest } from './dlp/by-policy.ts';
import { createDlpCheck } from './dlp/check.ts';
import { MAX_FINDINGS } from './dlp/masked-places.ts';
import { createDriftCheck } from './drift/check.ts';
import { createRedisDriftStore } from './drift/redis-store.ts';
import { createLoopCheck } from './loop/check.ts';
import { createRedisLoopStore } from './loop/redis-store.ts';
import { createMcpCheck } from './mcp/check.ts';
import { createSessionBinding } from './mcp/session-binding/binding.ts';
import { createRedisMcpSessionStore } from './mcp/session-binding/redis-store.ts';
import { createMcpBreakerCheck } from './mcp-breaker/check.ts';
import { createRedisBreakerStore } from './mcp-breaker/redis-store.ts';
import { createMcpInspectorCheck } from './mcp-inspector/check.ts';
import { createResultRewriter, maskWholeResult } from './mcp-inspector/mask-results.ts';
import { createRedisPinStore } from './mcp-inspector/redis-store.ts';
import { createMcpToolsCheck } from './mcp-tools/check.ts';
import { createNormalizationCheck } from './normalization/check.ts';
import { inOrder } from './order.ts';
import { createMarkSession } from './mark-session.ts';
import { createAnswerMarksCheck } from './policy/answer-marks.ts';
import { createPolicyCheck } from './policy/check.ts';
import { createJudge, type Judge } from './policy/judge.ts';
import { createPolicyStateCheck } from './policy/state-check.ts';
import { createPolicyMaskCheck } from './policy-mask/check.ts';
import { createSessionMoves } from './session-moves.ts';
import { createTaintSession } from './taint-session.ts';
import { createProviderToolsCheck } from './provider-tools/check.ts';
import { createRateLimitCheck } from './rate-limit/check.ts';
import { createRedisRateLimitStore } from './rate-limit/redis-store.ts';
import { createRedisRiskStore } from './risk/redis-store.ts';
import { DEFAULT_LOCK_MS } from './risk/scoring.ts';
import { riskSettings } from './risk/settings.ts';
import type { RiskStore } from './risk/store.ts';
import { createReportSecretLeak } from './secret-leak.ts';
import { createSessionCheck, type SessionCheck } from './session/check.ts';
import { createRedisSessionStore } from './session/redis-store.ts';
import { CALL_LEASE_MS, type SessionStore } from './session/store.ts';

export interface ChecksDeps {
  readonly config: Config;
  readonly redis: RedisClient;
  readonly log: Logger;
  /** What `server.log_level` does not silence. */
  readonly auditLog: Logger;
  readonly metrics: Metrics;
  /** Undefined where `policy.enabled` is off. */
  readonly policies: LivePolicies | undefined;
}

/** The checks of one sidecar. */
export interface BuiltChecks {
  readonly inOrder: readonly Check[];
  /** Makes good what is still owed to Redis, before the connection goes. */
  close(): Promise<void>;
}

const LEASE_MS = 30_000;
/** Of a probe of an MCP server, renewed well within it. */
const PROBE_LEASE_MS = 10_000;
const PROBE_RENEW_MS = 3_000;
const NANO_USD = 1e9;

/** Builds every check on Redis, as `config` has them. */
export function createChecks(deps: ChecksDeps): BuiltChecks {
  const { config, redis: client } = deps;
  const deadlineMs = phaseDeadlineMs(config);
  const sessions = sessionStore(deps);
  const risk = createRedisRiskStore({ client, deadlineMs, settings: riskSettings(config) });
  const reportSecretLeak = createReportSecretLeak({ record: risk.record, addTaint: sessions.addTaint });
  const session = sessionCheck(deps, sessions);
  const budget = budgetCheck(deps);
  const policy = policyChecks(deps, risk, sessions);
  return {
    inOrder: inOrder({
      rateLimit: createRateLimitCheck({
        config: config.rate_limit,
        store: createRedisRateLimitStore({ client, deadlineMs }),
      }),
      mcp: mcpCheck(deps, risk),
      allowed: createAllowedCheck({ modelOf: createModelOf(config.providers.azure.deployments) }),
      providerTools: createProviderToolsCheck({
        allowed: config.proxy.provider_tools,
        action: config.proxy.provider_tools_action,
        storedPrompts: config.proxy.stored_prompts,
      }),
      session: session.check,
      normalization: createNormalizationCheck({ normalizeAll }),
      mcpInspector: inspectorCheck(deps, reportSecretLeak),
      mcpTools: createMcpToolsCheck(),
      dlp: dlpCheck(deps, reportSecretLeak),
      loop: createLoopCheck({
        config: config.loop_detection,
        store: createRedisLoopStore({ client, deadlineMs }),
      }),
      drift: createDriftCheck({
        config: config.session.drift_detection,
        store: createRedisDriftStore({ client, deadlineMs, ttlMs: config.session.ttl }),
        ...(deps.policies !== undefined && { isAskedFor: asksForDrift(deps.policies) }),
      }),
      policy: policy?.check,
      policyMask: deps.policies === undefined ? undefined : policyMaskCheck(),
      mcpBreaker: breakerCheck(deps),
      budget: budget.check,
      policyState: policy?.stateCheck,
      answerMarks: policy?.answerMarks,
    }),
    async close() {
      await Promise.all([session.close(), budget.close(), policy?.close()]);
    },
  };
}

function asksForDrift(policies: LivePolicies): () => boolean {
  return () => policies.current().readsDrift;
}

function sessionStore({ config, redis }: ChecksDeps): SessionStore {
  return createRedisSessionStore({
    client: redis,
    deadlineMs: phaseDeadlineMs(config),
    ttlMs: config.session.ttl,
    maxPerKey: config.session.max_per_key,
  });
}

function mcpCheck({ config, redis: client }: ChecksDeps, risk: RiskStore): Check {
  const deadlineMs = phaseDeadlineMs(config);
  const store = createRedisMcpSessionStore({ client, deadlineMs, ttlMs: config.session.ttl });
  return createMcpCheck({
    binding: createSessionBinding(store),
    async scorePolicyBlock(keyHash, findings) {
      await risk.record({ trigger: 'policy_block', keyHash, findings, operationId: randomUUID() });
    },
    authenticateAgain: createAuthenticateAgain({
      keys: createKeyStateStore({ client, deadlineMs }),
      riskProfile: config.risk_profile,
    }),
  });
}

function inspectorCheck(
  { config, redis: client, log, auditLog }: ChecksDeps,
  reportSecretLeak: ReportSecretLeak,
): Check {
  return createMcpInspectorCheck({
    config: config.mcp,
    shadowMode: config.server.shadow_mode,
    pins: createRedisPinStore({ client, deadlineMs: phaseDeadlineMs(config) }),
    audit: createAudit(auditLog, log),
    reportSecretLeak,
  });
}

function dlpCheck({ config, metrics }: ChecksDeps, reportSecretLeak: ReportSecretLeak): Check {
  const { dlp } = config.server;
  const scope = {
    scanSecrets: dlp.scan_secrets,
    scanPii: dlp.scan_pii,
    scanNetwork: dlp.scan_network,
    allowedHosts: dlp.allowed_hosts,
  };
  return createDlpCheck({
    config: dlp,
    detector: createContentDetector(scope),
    findAll: createFindContentAll(scope, MAX_FINDINGS),
    reportSecretLeak,
    onFound: (found) => metrics.dlpFindings.inc({ ...found }),
  });
}

interface PolicyChecks {
  readonly check: Check;
  readonly stateCheck: Check;
  readonly answerMarks: Check;
  close(): Promise<void>;
}

function policyChecks(deps: ChecksDeps, risk: RiskStore, store: SessionStore): PolicyChecks | undefined {
  const { config, log, policies } = deps;
  if (policies === undefined) return undefined;
  const judge = policyJudge(deps, risk, store);
  const mark = createMarkSession(store);
  const sessions = createSessionMoves({
    store,
    onFailure: (cause) =>
      log.warn({ cause: messageOf(cause) }, 'Redis did not hear in time that a call was not made'),
  });
  return {
    check: createPolicyCheck({ policies: policies.current, judge }),
    stateCheck: createPolicyStateCheck({
      judge,
      sessions,
      mark,
      shadowMode: config.server.shadow_mode,
      onTrouble: policyTrouble(deps),
    }),
    answerMarks: createAnswerMarksCheck({ mark, onTrouble: policyTrouble(deps) }),
    close: () => sessions.close(),
  };
}

function policyJudge(deps: ChecksDeps, risk: RiskStore, { addTaint }: SessionStore): Judge {
  const { config } = deps;
  return createJudge({
    defaultAction: config.policy.default_action,
    shadowMode: config.server.shadow_mode,
    maskSecrets,
    async score({ keyHash, trigger, findings }) {
      const event = { keyHash, findings, operationId: randomUUID() };
      await risk.record(
        trigger === 'quarantine' ? { ...event, trigger, lockMs: DEFAULT_LOCK_MS } : { ...event, trigger },
      );
    },
    taint: createTaintSession({ record: risk.record, addTaint }),
    onTrouble: policyTrouble(deps),
    onDecision({ requestId, key }, { policySet, verdict, rules }) {
      const line = { request_id: requestId, key_hash: key.keyHash, policy_set: policySet, verdict, rules };
      deps.auditLog.info(line, 'policy decision');
    },
  });
}

function policyTrouble({ log, metrics }: ChecksDeps): (cause: unknown) => void {
  return (cause) => {
    metrics.policyTroubles.inc();
    log.error({ cause: messageOf(cause) }, 'the policies could not judge a call, which was denied');
  };
}

function policyMaskCheck(): Check {
  return createPolicyMaskCheck({
    masksOf: createMasksOf(),
    maskRequest,
    answers: { whole: maskAnswer, rewriter: (masks) => createPolicyRewriter(masks) },
    results: { whole: maskWholeResult, rewriter: createResultRewriter },
  });
}

function breakerCheck({ config, redis: client, log, metrics }: ChecksDeps): Check {
  const { enabled, threshold, window_seconds } = config.mcp.circuit_breaker;
  return createMcpBreakerCheck({
    config: { enabled },
    store: createRedisBreakerStore({
      client,
      deadlineMs: phaseDeadlineMs(config),
      threshold,
      windowMs: window_seconds * 1_000,
      probeLeaseMs: PROBE_LEASE_MS,
    }),
    renewAfterMs: PROBE_RENEW_MS,
    onChange({ server, keyHash }, { circuit, change }) {
      metrics.mcpCircuits.inc({ server, circuit, change });
      const whose = circuit === 'key' ? { key_hash: keyHash } : {};
      log.warn({ server, circuit, change, ...whose }, 'the circuit of an MCP server has changed');
    },
  });
}

function sessionCheck({ config, log }: ChecksDeps, store: SessionStore): SessionCheck {
  return createSessionCheck({
    store,
    required: config.session.required,
    maskSecrets,
    onFailure: (cause) =>
      log.warn({ cause: messageOf(cause) }, 'Redis did not hear of the end of a call in time'),
    renewAfterMs: Math.min(CALL_LEASE_MS, config.session.ttl) / 3,
  });
}

function budgetCheck({ config, redis, log, metrics }: ChecksDeps): BudgetCheck {
  return createBudgetCheck({
    config,
    pricing: createPricing(config),
    store: createRedisBudgetStore({
      client: redis,
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
    onFailure: (cause) => log.warn({ cause: messageOf(cause) }, 'settlement postponed'),
  });
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : '';
}
