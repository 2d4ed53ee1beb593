import { beforeAll, beforeEach } from 'vitest';
import { type TestRedis, useTestRedis } from '../../../support/redis.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import { type KeyStore, createKeyStore } from '../../../../src/auth/key-store.ts';
import { type Authenticate, createAuthenticate } from '../../../../src/auth/authenticate.ts';
import { defaultConfig } from '../../../support/default-config.ts';
import { createHeldAttemptCounts } from '../../../../src/auth/held-attempts-store.ts';
import { createKeyStateStore } from '../../../../src/auth/key-state-store.ts';
import { GatewayError } from '../../../../src/errors.ts';

export let redis: TestRedis;
export let client: RedisClient;
export let store: KeyStore;
export let authenticate: Authenticate;
export function authenticateWith(next: typeof authenticate): void {
  authenticate = next;
}

export let failures: string[] = [];
export let overLimit = false;
export function setOverLimit(next: typeof overLimit): void {
  overLimit = next;
}

export const agent = { name: 'agent-7', provider: 'openai' } as const;
export const riskProfile = defaultConfig().risk_profile;

export function start(enabled = true): Authenticate {
  return createAuthenticate({
    keys: createKeyStateStore({ client, deadlineMs: 500 }),
    failures: { count: (address) => failures.push(address), isOver: () => overLimit },
    heldAttempts: createHeldAttemptCounts({ client, onNoteFailed: () => undefined }),
    riskProfile: { ...riskProfile, enabled },
  });
}

export const present = (rawKey: string | undefined) => authenticate({ rawKey, clientAddress: '192.0.2.7' });

export async function refusal(rawKey: string | undefined): Promise<GatewayError> {
  const failure: unknown = await present(rawKey).catch((error: unknown) => error);
  if (failure instanceof GatewayError) return failure;
  throw new Error('was not refused', { cause: failure });
}
export function useRig(): void {
  redis = useTestRedis();
  beforeAll(async () => {
    client = await redis.connect();
    store = createKeyStore(client);
  });
  beforeEach(async () => {
    await redis.flush();
    failures = [];
    overLimit = false;
    authenticate = start();
  });
}
