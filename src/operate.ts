import { createStreamStore, type StreamStore } from './audit/stream-store.ts';
import { createKeyStateStore, type KeyStateStore } from './auth/key-state-store.ts';
import { createKeyStore, type KeyStore } from './auth/key-store.ts';
import { createRedisBudgetStore, spendLifeMs } from './checks/budget/redis-store.ts';
import type { BudgetStore } from './checks/budget/store.ts';
import type { PinStore } from './checks/mcp-inspector/store.ts';
import { createRedisPinStore } from './checks/mcp-inspector/redis-store.ts';
import { createRedisRiskStore } from './risk/redis-store.ts';
import { riskSettings } from './risk/settings.ts';
import type { RiskStore } from './risk/store.ts';
import { createRedisSessionStore } from './checks/session/redis-store.ts';
import { createSpendStore, type SpendStore } from './spend/store.ts';
import type { SessionStore } from './checks/session/store.ts';
import { phaseDeadlineMs } from './config/cross-field-rules.ts';
import { parseEscalationEvent, type EscalationEvent } from './escalation/escalation.ts';
import { createRedisEscalationStore } from './escalation/redis-store.ts';
import type { EscalationStore } from './escalation/store.ts';
import type { Config } from './config/schema.ts';
import { GatewayError, messageOf } from './errors.ts';
import { createAcknowledgement } from './redis/acknowledged.ts';
import { connectRedis, waitUntilReady, type RedisClient, describedRedis } from './redis/client.ts';
import { ESCALATION_REQUESTS } from './redis/keys.ts';
import { readClock } from './redis/clock.ts';
import { scanForms, type FormScan } from './redis/form-scan.ts';
import { checkServer, type ServerCheck } from './redis/server-check.ts';
import { hear } from './redis/subscribe.ts';
import { withoutArguments, withRedisDeadline } from './redis/unavailable.ts';

const SCAN_DEADLINE_MS = 30_000;

/** Services for commands that use the gateway's state in Redis. */
export interface Operations {
  readonly keys: KeyStore;
  readonly keyStates: KeyStateStore;
  readonly budgets: BudgetStore;
  readonly spend: SpendStore;
  readonly sessions: SessionStore;
  readonly risks: RiskStore;
  readonly pins: PinStore;
  readonly escalations: EscalationStore;
  /** Reports published approval events while the command runs; some may be missed. */
  hearEscalations(onEvent: (event: EscalationEvent) => void): Promise<void>;
  readonly audit: StreamStore;
  /** Returns Unix ms by Redis's clock, which decides about everything that ends. */
  readClock(): Promise<number>;
  checkServer(): Promise<ServerCheck>;
  /** Looks for stored values that this build cannot read. */
  scanForms(): Promise<FormScan>;
}

/**
 * The composition root of the commands that manage Redis: connects, runs `work`, disconnects.
 * @throws GatewayError redis_unavailable, with the address tried
 */
export async function operate<T>(config: Config, work: (operations: Operations) => Promise<T>): Promise<T> {
  const client = connectRedis(config.redis, { name: 'gateway-cli' });
  const acknowledgement = createAcknowledgement(config.redis, 'gateway-cli');
  const listeners: RedisClient[] = [];
  try {
    await connected(client, config);
    const deadlineMs = phaseDeadlineMs(config);
    return await work({
      keys: createKeyStore(client),
      keyStates: createKeyStateStore({ client, deadlineMs }),
      budgets: createRedisBudgetStore({
        client,
        deadlineMs,
        alertPercents: config.alerting.thresholds.map(({ percent }) => percent),
        spendLifeMs: spendLifeMs(config),
      }),
      spend: createSpendStore({ client, deadlineMs }),
      sessions: createRedisSessionStore({
        client,
        deadlineMs,
        ttlMs: config.session.ttl,
        maxPerKey: config.session.max_per_key,
      }),
      risks: createRedisRiskStore({
        client,
        deadlineMs,
        settings: riskSettings(config),
        acknowledgement,
      }),
      pins: createRedisPinStore({ client, deadlineMs }),
      escalations: createRedisEscalationStore({ client, deadlineMs }),
      async hearEscalations(onEvent) {
        const listener = connectRedis(config.redis, { name: 'gateway-cli-listener', mayBeSilent: true });
        listeners.push(listener);
        const subscribed = hear(listener, ESCALATION_REQUESTS, (_channel, message) => {
          const event = parseEscalationEvent(message);
          if (event !== undefined) onEvent(event);
        });
        await waitUntilReady(listener, config.redis.dial_timeout);
        await subscribed;
      },
      audit: createStreamStore({ client, deadlineMs, maxLength: config.audit.stream_max_length }),
      readClock: () => withRedisDeadline(deadlineMs, () => readClock(client)),
      checkServer: () => checkServer(client),
      scanForms: () => withRedisDeadline(SCAN_DEADLINE_MS, () => scanForms(client)),
    });
  } finally {
    acknowledgement?.close();
    for (const one of [client, ...listeners]) one.disconnect();
  }
}

/** Returns the operator's remedy for a Redis that a command cannot use. */
function remedyFor(reason: string): string {
  if (/NOAUTH|WRONGPASS|NOPERM|no password/i.test(reason))
    return 'Set redis.username and redis.password (REDIS_PASSWORD) to those of this Redis';
  if (/ENOTFOUND|EAI_AGAIN/.test(reason))
    return 'This host name is unknown here: correct redis.addr (REDIS_ADDR), or name the right file with --config';
  if (/cert|ssl|tls/i.test(reason)) return 'Check redis.tls in the configuration';
  return 'Start Redis there, or set redis.addr (REDIS_ADDR) to where it runs, or name the right file with --config';
}

/** Fails on the first refusal, because a person is waiting; a server would retry. */
async function connected(client: RedisClient, config: Config): Promise<void> {
  const refused = new Promise<never>((_resolve, reject) => {
    client.once('error', (failure: unknown) => {
      reject(withoutArguments(failure));
    });
  });
  try {
    await Promise.race([waitUntilReady(client, config.redis.dial_timeout), refused]);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new GatewayError(
      'redis_unavailable',
      `Redis at ${describedRedis(config.redis)} cannot be used: ${reason}. ${remedyFor(reason)}`,
      {
        cause,
      },
    );
  }
}
