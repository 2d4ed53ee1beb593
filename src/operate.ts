import { phaseDeadlineMs } from './config/cross-field-rules.ts';
import type { Config } from './config/schema.ts';
import { GatewayError, messageOf } from './errors.ts';
import { createEscalationListeners } from './operator/watch-escalations.ts';
import { createPagePassword, type PagePassword } from './operator/sign-in/password-store.ts';
import { createApiTokens, type ApiTokens } from './operator/sign-in/tokens.ts';
import { createRedisOperations, type RedisOperations } from './operator/redis-operations.ts';
import { createReadOrderStore } from './provider-credentials/read-orders-store.ts';
import { createAcknowledgement } from './redis/acknowledged.ts';
import { connectRedis, waitUntilReady, type RedisClient, describedRedis } from './redis/client.ts';
import { scanForms, type FormScan } from './redis/form-scan.ts';
import { checkServer, type ServerCheck } from './redis/server-check.ts';
import { withoutArguments, withRedisDeadline } from './redis/unavailable.ts';

const SCAN_DEADLINE_MS = 30_000;

export interface LocalOperations extends RedisOperations {
  readonly pagePassword: PagePassword;
  readonly apiTokens: ApiTokens;
  checkServer(): Promise<ServerCheck>;
  /** Makes all gateways reread the source of a provider credential. */
  orderCredentialRead(credential: string): Promise<void>;
  scanForms(): Promise<FormScan>;
}

/**
 * The composition root of the commands that manage Redis: connects, runs `work` and disconnects.
 * @throws GatewayError redis_unavailable, with the address tried
 */
export async function operate<T>(
  config: Config,
  work: (operations: LocalOperations) => Promise<T>,
): Promise<T> {
  const client = connectRedis(config.redis, { name: 'gateway-cli' });
  const acknowledgement = createAcknowledgement(config.redis, 'gateway-cli');
  const listeners = createEscalationListeners(config.redis, 'gateway-cli-listener');
  try {
    await connected(client, config);
    return await work({
      ...createRedisOperations({
        client,
        config,
        acknowledgement,
        watchEscalations: listeners.watchEscalations,
      }),
      pagePassword: createPagePassword({ client, deadlineMs: phaseDeadlineMs(config) }),
      apiTokens: createApiTokens({ client, deadlineMs: phaseDeadlineMs(config) }),
      checkServer: () => checkServer(client),
      orderCredentialRead: createReadOrderStore({ client, deadlineMs: phaseDeadlineMs(config) }).order,
      scanForms: () => withRedisDeadline(SCAN_DEADLINE_MS, () => scanForms(client)),
    });
  } finally {
    acknowledgement?.close();
    listeners.close();
    client.disconnect();
  }
}

/** Returns a remedy for an operator whose command cannot use Redis. */
function remedyFor(reason: string): string {
  if (/NOAUTH|WRONGPASS|NOPERM|no password/i.test(reason))
    return 'Set redis.password (REDIS_PASSWORD) to the password of the default user of this Redis';
  if (/ENOTFOUND|EAI_AGAIN/.test(reason))
    return 'This host name cannot be resolved: correct redis.addr (REDIS_ADDR), or pass the right file with --config';
  if (/cert|ssl|tls/i.test(reason)) return 'Check redis.tls in the configuration';
  return 'Start Redis at this address, or correct redis.addr (REDIS_ADDR), or pass the right file with --config';
}

/** Fails on the first refused connection, because a person is waiting; a server would retry. */
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
      { cause },
    );
  }
}
