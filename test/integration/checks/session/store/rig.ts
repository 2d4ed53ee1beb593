import {
  createRedisSessionStore,
  type RedisSessionStoreOptions,
} from '../../../../../src/checks/session/redis-store.ts';
import type { SessionStore } from '../../../../../src/checks/session/store.ts';
import type { RedisClient } from '../../../../../src/redis/client.ts';
import type { TestRedis } from '../../../../support/redis.ts';
import { useRedis } from '../../budget/support.ts';
import { DAY_MS } from '../../../../contracts/session-rig.ts';

export let redis: TestRedis;

export let client: RedisClient;

export function sessionStore(more: Partial<RedisSessionStoreOptions> = {}): SessionStore {
  return createRedisSessionStore({ client, deadlineMs: 2_500, ttlMs: DAY_MS, maxPerKey: 0, ...more });
}

/** One Redis for all of them. */
export function useRig(): void {
  useRedis((started) => ({ redis, client } = started));
}
