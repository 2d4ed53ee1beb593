import type { Config } from '../config/schema.ts';
import { phaseDeadlineMs } from '../config/rules.ts';
import { maskSecrets } from '../detectors/mask.ts';
import { normalizeAll } from '../normalize/normalize.ts';
import type { Check } from '../pipeline/check.ts';
import { createPricing } from '../pricing/pricing.ts';
import type { RedisClient } from '../redis/client.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { createAllowedCheck } from './allowed/check.ts';
import { createBudgetCheck, type BudgetCheck } from './budget/check.ts';
import { createRedisBudgetStore } from './budget/redis-store.ts';
import { createDriftCheck } from './drift/check.ts';
import { createRedisDriftStore } from './drift/redis-store.ts';
import { createLoopCheck } from './loop/check.ts';
import { createRedisLoopStore } from './loop/redis-store.ts';
import { createNormalizationCheck } from './normalization/check.ts';
import { inOrder } from './order.ts';
import { createProviderToolsCheck } from './provider-tools/check.ts';
import { createRateLimitCheck } from './rate-limit/check.ts';
import { createRedisRateLimitStore } from './rate-limit/redis-store.ts';
import { createSessionCheck, type SessionCheck } from './session/check.ts';
import { createRedisSessionStore } from './session/redis-store.ts';

export interface ChecksDeps {
  readonly config: Config;
  readonly redis: RedisClient;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** The checks of one sidecar. */
export interface BuiltChecks {
  readonly inOrder: readonly Check[];
  /** Makes good what is still owed to Redis, before the connection goes. */
  close(): Promise<void>;
}

const LEASE_MS = 30_000;
const NANO_USD = 1e9;

/** Builds every check on Redis, as `config` has them. */
export function createChecks(deps: ChecksDeps): BuiltChecks {
  const { config, redis: client } = deps;
  const deadlineMs = phaseDeadlineMs(config);
  const session = sessionCheck(deps);
  const budget = budgetCheck(deps);
  return {
    inOrder: inOrder({
      rateLimit: createRateLimitCheck({
        config: config.rate_limit,
        store: createRedisRateLimitStore({ client, deadlineMs }),
      }),
      allowed: createAllowedCheck(),
      providerTools: createProviderToolsCheck({
        allowed: config.proxy.provider_tools,
        action: config.proxy.provider_tools_action,
      }),
      session: session.check,
      normalization: createNormalizationCheck({ normalizeAll }),
      loop: createLoopCheck({
        config: config.loop_detection,
        store: createRedisLoopStore({ client, deadlineMs }),
      }),
      drift: createDriftCheck({
        config: config.session.drift_detection,
        store: createRedisDriftStore({ client, deadlineMs, ttlMs: config.session.ttl }),
      }),
      budget: budget.check,
    }),
    async close() {
      await Promise.all([session.close(), budget.close()]);
    },
  };
}

function sessionCheck({ config, redis, log }: ChecksDeps): SessionCheck {
  return createSessionCheck({
    store: createRedisSessionStore({
      client: redis,
      deadlineMs: phaseDeadlineMs(config),
      ttlMs: config.session.ttl,
      maxPerKey: config.session.max_per_key,
    }),
    required: config.session.required,
    maskSecrets,
    onFailure: (cause) => log.warn({ cause: messageOf(cause) }, 'a step is given back later'),
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
