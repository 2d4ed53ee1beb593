import { createStreamStore, type StreamStore } from '../audit/stream-store.ts';
import { createHeldAttemptStore, type HeldAttemptStore } from '../auth/held-attempts-store.ts';
import { createKeyStateStore, type KeyStateStore } from '../auth/key-state-store.ts';
import { createKeyStore, type KeyStore } from '../auth/key-store.ts';
import { createKeyUseStore } from '../auth/key-use-store.ts';
import { createRedisBudgetStore, spendLifeMs } from '../checks/budget/redis-store.ts';
import type { BudgetStore } from '../checks/budget/store.ts';
import { createRedisPinStore } from '../checks/mcp-inspector/redis-store.ts';
import type { PinStore } from '../checks/mcp-inspector/store.ts';
import { createRedisSessionStore } from '../checks/session/redis-store.ts';
import type { SessionStore } from '../checks/session/store.ts';
import { phaseDeadlineMs } from '../config/cross-field-rules.ts';
import type { Config } from '../config/schema.ts';
import { createRedisEscalationStore, type EscalationStore } from '../escalation/redis-store.ts';
import type { Acknowledgement } from '../redis/acknowledged.ts';
import type { RedisClient } from '../redis/client.ts';
import { readClock } from '../redis/clock.ts';
import { withRedisDeadline } from '../redis/unavailable.ts';
import { createRedisRiskStore } from '../risk/redis-store.ts';
import { riskSettings, type RiskStore } from '../risk/store.ts';
import { createSharedBudgetStore, type SharedBudgetStore } from '../shared-budgets/store.ts';
import { createSpendStore } from '../spend/store.ts';
import type { WatchEscalations } from './answer-escalation.ts';
import { createChanges } from './changes.ts';
import type { Operations, OperatorSettings } from './operations.ts';

/** Operations with complete stores. */
export interface RedisOperations extends Operations {
  readonly keys: KeyStore;
  readonly keyStates: KeyStateStore;
  readonly heldAttempts: HeldAttemptStore;
  readonly budgets: BudgetStore;
  readonly sharedBudgets: SharedBudgetStore;
  readonly sessions: SessionStore;
  readonly risks: RiskStore;
  readonly pins: PinStore;
  readonly escalations: EscalationStore;
  readonly audit: StreamStore;
}

export interface RedisOperationsOptions {
  readonly client: RedisClient;
  readonly config: Config;
  readonly acknowledgement: Acknowledgement | undefined;
  readonly watchEscalations: WatchEscalations;
}

export function createRedisOperations(options: RedisOperationsOptions): RedisOperations {
  const { client, config, acknowledgement, watchEscalations } = options;
  const deadlineMs = phaseDeadlineMs(config);
  const stores = {
    keys: createKeyStore(client),
    keyStates: createKeyStateStore({ client, deadlineMs }),
    keyUses: createKeyUseStore({ client, sessionTtlMs: config.session.ttl }),
    heldAttempts: createHeldAttemptStore({ client, deadlineMs }),
    budgets: createRedisBudgetStore({
      client,
      deadlineMs,
      alertPercents: config.alerting.thresholds.map(({ percent }) => percent),
      spendLifeMs: spendLifeMs(config),
    }),
    sharedBudgets: createSharedBudgetStore({ client, deadlineMs }),
    spend: createSpendStore({ client, deadlineMs }),
    sessions: createRedisSessionStore({
      client,
      deadlineMs,
      ttlMs: config.session.ttl,
      maxPerKey: config.session.max_per_key,
    }),
    risks: createRedisRiskStore({ client, deadlineMs, settings: riskSettings(config), acknowledgement }),
    pins: createRedisPinStore({ client, deadlineMs }),
    escalations: createRedisEscalationStore({ client, deadlineMs }),
    audit: createStreamStore({ client, deadlineMs, maxLength: config.audit.stream_max_length }),
    readClock: () => withRedisDeadline(deadlineMs, () => readClock(client)),
    readSettings: () => Promise.resolve(operatorSettings(config)),
    watchEscalations,
  };
  const configuredBudgets = config.budgets.map(({ name }) => name);
  const { escalation_secret: secret } = config.zsp;
  return { ...stores, changes: createChanges({ ...stores, configuredBudgets, secret }) };
}

export function operatorSettings({ audit, spend, mcp, credentials, budgets }: Config): OperatorSettings {
  return {
    auditEnabled: audit.enabled,
    spendEnabled: spend.enabled,
    mcpServers: mcp.servers.map(({ name }) => name),
    credentials: Object.fromEntries(
      Object.entries(credentials).map(([name, { provider }]) => [name, provider]),
    ),
    sharedBudgets: budgets,
  };
}
