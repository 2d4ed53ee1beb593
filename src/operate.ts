import { createKeyStateStore } from './auth/key-state-store.ts';
import type { KeyStateStore } from './auth/key-state-store.ts';
import { createKeyStore } from './auth/key-store.ts';
import type { KeyStore } from './auth/key-store.ts';
import { createRedisBudgetStore } from './checks/budget/redis-store.ts';
import type { BudgetStore } from './checks/budget/store.ts';
import { phaseDeadlineMs } from './config/rules.ts';
import type { Config } from './config/schema.ts';
import { GatewayError } from './errors.ts';
import { connectRedis, waitUntilReady } from './redis/client.ts';
import { checkServer } from './redis/server-check.ts';
import type { ServerCheck } from './redis/server-check.ts';

/** What a command may do with the gateway's state in Redis. */
export interface Operations {
  readonly keys: KeyStore;
  readonly keyStates: KeyStateStore;
  readonly budgets: BudgetStore;
  checkServer(): Promise<ServerCheck>;
}

/** Commands reserve nothing, so that no lease of theirs can run out. */
const NO_LEASE_MS = 30_000;

/**
 * The composition root of the commands that manage Redis: connects, lets `work` run, disconnects.
 * @throws GatewayError redis_unavailable, saying where Redis was looked for
 */
export async function operate<T>(config: Config, work: (operations: Operations) => Promise<T>): Promise<T> {
  const client = connectRedis(config.redis, { name: 'gateway-cli' });
  try {
    await waitUntilReady(client, config.redis.dial_timeout).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : 'no answer';
      throw new GatewayError('redis_unavailable', `Redis at ${address(config)} cannot be used: ${reason}`, {
        cause,
      });
    });
    const deadlineMs = phaseDeadlineMs(config);
    const result = await work({
      keys: createKeyStore(client),
      keyStates: createKeyStateStore({ client, deadlineMs }),
      budgets: createRedisBudgetStore({
        client,
        deadlineMs,
        leaseMs: NO_LEASE_MS,
        alertPercents: config.alerting.thresholds.map(({ percent }) => percent),
      }),
      checkServer: () => checkServer(client),
    });
    return result;
  } finally {
    client.disconnect();
  }
}

function address({ redis }: Config): string {
  if (redis.cluster.addrs.length > 0) return `cluster ${redis.cluster.addrs.join(', ')}`;
  if (redis.sentinel.addrs.length > 0) return `sentinel ${redis.sentinel.addrs.join(', ')}`;
  return redis.addr;
}
