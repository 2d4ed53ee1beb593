import { createAuthenticateAgain } from '../auth/authenticate.ts';
import { createKeyStateStore } from '../auth/key-state-store.ts';
import type { Config } from '../config/schema.ts';
import { phaseDeadlineMs } from '../config/cross-field-rules.ts';
import type { Alerts } from '../alerting/create.ts';
import type { Approvals } from '../escalation/approvals.ts';
import type { Batch } from '../pipeline/batch.ts';
import type { LivePolicies } from '../policy/live-policies.ts';
import { createAcknowledgement, type Acknowledgement } from '../redis/acknowledged.ts';
import type { RedisClient } from '../redis/client.ts';
import { RedisBatch } from '../redis/batch.ts';
import type { TrailObserver } from '../audit/observe.ts';
import { createAudit, createMatchDigest, type Audit } from '../telemetry/audit.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { createModelLabels, createOwnerLabels } from '../telemetry/spend-labels.ts';
import { providerLabel } from '../telemetry/observer.ts';
import type { UsedRatio } from '../checks/budget/used-ratios.ts';
import { composeChecks, type ComposedChecks } from './compose.ts';
import { createRedisRiskStore } from '../risk/redis-store.ts';
import { riskSettings, type RiskEvent, type RiskOutcome, type RiskStore } from '../risk/store.ts';
import type { ChecksObserver, Counting, SharedStores } from '../checks/services.ts';
import { createRedisSessionStore } from '../checks/session/redis-store.ts';
import { wholeSeconds } from '../text/time-span.ts';
import { messageOf } from '../errors.ts';

export interface ChecksDeps {
  readonly config: Config;
  readonly redis: RedisClient;
  readonly log: Logger;
  /** Not silenced by `server.log_level`. */
  readonly auditLog: Logger;
  readonly metrics: Metrics;
  readonly trail?: TrailObserver | undefined;
  /** Receives the cost of the current request in USD; undefined if tracing is off. */
  readonly onCost?: ((costUsd: number) => void) | undefined;
  readonly policies: LivePolicies | undefined;
  readonly approvals: Approvals | undefined;
  /** Undefined if `alerting.webhook_url` is empty. */
  readonly alerts: Alerts | undefined;
}

const NANO_USD = 1e9;

/** Creates all checks of one configuration, on Redis. `close` must be called before disconnecting. */
export async function createChecks(
  deps: ChecksDeps,
): Promise<ComposedChecks & { readonly newBatch: () => Batch }> {
  const { config, redis: client, policies, approvals } = deps;
  const deadlineMs = phaseDeadlineMs(config);
  const acknowledgement = createAcknowledgement(config.redis, 'gateway-worker');
  const checks = await composeChecks({
    config,
    stores: storesOn(deps, acknowledgement),
    place: { kind: 'redis', client, deadlineMs },
    policies,
    observer: checksObserver(deps),
    authenticateAgain: createAuthenticateAgain({
      keys: createKeyStateStore({ client, deadlineMs }),
      riskProfile: config.risk_profile,
    }),
    askApproval: approvals?.ask,
    counting: countingOn(deps),
  });
  return {
    inOrder: checks.inOrder,
    newBatch: () => new RedisBatch(client, deadlineMs),
    async close() {
      await checks.close();
      acknowledgement?.close();
    },
  };
}

function storesOn(
  { config, redis: client, alerts, metrics }: ChecksDeps,
  acknowledgement: Acknowledgement | undefined,
): SharedStores {
  const deadlineMs = phaseDeadlineMs(config);
  const { ttl: ttlMs, max_per_key: maxPerKey } = config.session;
  return {
    sessions: createRedisSessionStore({ client, deadlineMs, ttlMs, maxPerKey }),
    risk: watchedRisk(
      createRedisRiskStore({ client, deadlineMs, settings: riskSettings(config), acknowledgement }),
      ({ keyHash, trigger }, { scored, lock, blocked, riskScore }) => {
        if (scored) metrics.riskEvents.inc({ trigger });
        if (lock === undefined && !blocked) return;
        metrics.riskLocks.inc({ trigger });
        const data = {
          key_hash: keyHash,
          trigger,
          risk_score: riskScore,
          lock_seconds: lock === undefined ? null : wholeSeconds(lock.ttlMs),
          blocked,
        };
        alerts?.send('quarantine', { type: 'key.quarantined', data });
      },
    ),
  };
}

function watchedRisk(store: RiskStore, onEvent: (event: RiskEvent, outcome: RiskOutcome) => void): RiskStore {
  return {
    ...store,
    async record(event) {
      const outcome = await store.record(event);
      onEvent(event, outcome);
      return outcome;
    },
  };
}

function checksObserver(deps: ChecksDeps): ChecksObserver {
  const { log, auditLog, metrics, trail } = deps;
  const audit = auditOf(deps);
  const warn = (message: string) => (cause: unknown) => log.warn({ cause: messageOf(cause) }, message);
  return {
    dlpFound: (found) => metrics.dlpFindings.inc({ ...found }),
    audit,
    ...(trail && {
      dlpEvidence(exchange, { side, found }) {
        trail.dlpFound(exchange, side, found, audit.digest);
      },
    }),
    policyTrouble(cause) {
      metrics.policyTroubles.inc();
      log.error({ cause: messageOf(cause) }, 'the policies could not judge a call, which was refused');
    },
    policyDecided(exchange, decided) {
      trail?.policyDecided(exchange, decided);
      const { requestId, key } = exchange;
      const { policySet, verdict, rules } = decided;
      for (const { mode, rule, action } of rules)
        if (mode === 'report') metrics.policyReports.inc({ rule, action });
      // For a call that no rule covers, the log line of the request is enough.
      if (verdict === 'allow' && rules.length === 0) return;
      const line = { request_id: requestId, key_hash: key.keyHash, policy_set: policySet, verdict, rules };
      auditLog.info(line, 'policy decision');
    },
    callNotEnded: warn('Redis was not informed in time that a call had ended'),
    moveNotUndone: warn('Redis was not informed in time that a call was not made'),
  };
}

/** Reports to the log's audit channel and to the trail. The composition root silences one of them. */
function auditOf({ config, log, auditLog, trail }: ChecksDeps): Audit {
  const audit = createAudit(auditLog, log, createMatchDigest(config.audit.secret));
  if (trail === undefined) return audit;
  return {
    ...audit,
    emit(event) {
      audit.emit(event);
      trail.inspected(event);
    },
  };
}

function showRatios({ budgetUsed }: ChecksDeps['metrics'], ratios: readonly UsedRatio[]): void {
  budgetUsed.reset();
  for (const { key, window, ratio } of ratios) budgetUsed.set({ key, window }, ratio);
}

function countingOn({ config, log, metrics, alerts, trail, onCost }: ChecksDeps): Counting {
  const { budget_keys: maxKeys, spend_models: maxModels, spend_owners: maxOwners } = config.metrics;
  const modelLabel = maxModels > 0 ? createModelLabels(maxModels) : undefined;
  const ownerLabel = maxOwners > 0 ? createOwnerLabels(maxOwners) : undefined;
  return {
    usedRatios: maxKeys === 0 ? undefined : { maxKeys, show: (ratios) => showRatios(metrics, ratios) },
    circuitChanged({ server, keyHash }, { circuit, change }) {
      metrics.mcpCircuits.inc({ server, circuit, change });
      const ofKey = circuit === 'key' ? { key_hash: keyHash } : {};
      log.warn({ server, circuit, change, ...ofKey }, 'an MCP server circuit has changed');
      const data = { server, circuit, key_hash: circuit === 'key' ? keyHash : null };
      alerts?.send('circuit', { type: `circuit.${change}`, data });
    },
    ledger: {
      onCrossed: (window) => metrics.budgetAlerts.inc({ window }),
      onAlert(alert) {
        const fields = {
          key_hash: alert.keyHash,
          key_name: alert.keyName,
          window: alert.window,
          ...(alert.budget !== undefined && { budget: alert.budget }),
          threshold: alert.thresholdPercent,
          percent: alert.percent,
          spent_usd: alert.spentUsd,
          limit_usd: alert.limitUsd,
        };
        log.warn(fields, 'budget threshold reached');
        alerts?.budget(fields);
      },
      onReserved: (exchange, reservedNanoUsd) => trail?.reserved(exchange, reservedNanoUsd / NANO_USD),
      onCharged(exchange, costNanoUsd) {
        const provider = providerLabel(exchange);
        const costUsd = costNanoUsd / NANO_USD;
        metrics.spend.inc({ provider }, costUsd);
        if (modelLabel !== undefined && costUsd > 0)
          metrics.modelSpend.inc({ provider, model: modelLabel(exchange.request.model) }, costUsd);
        if (ownerLabel !== undefined && costUsd > 0)
          metrics.ownerSpend.inc({ owner: ownerLabel(exchange.key.owner) }, costUsd);
        trail?.charged(exchange, costNanoUsd / NANO_USD);
        onCost?.(costNanoUsd / NANO_USD);
      },
      onOverReservation: () => metrics.overReservation.inc(),
      onHigherCharge: ({ provider }, differenceNanoUsd) =>
        metrics.higherCharges.inc({ provider: provider.name }, differenceNanoUsd / NANO_USD),
      onAbsurdUsage({ provider, requestId, key }, reason) {
        metrics.absurdUsages.inc({ provider: provider.name });
        log.warn(
          { request_id: requestId, key_hash: key.keyHash, provider: provider.name, reason },
          'an answer reported implausible usage: its reservation was charged',
        );
      },
      onFailure: (cause) => log.warn({ cause: messageOf(cause) }, 'settlement postponed'),
    },
  };
}
