import type { TestRedis } from '../../../../support/redis.ts';
import type { RedisClient } from '../../../../../src/redis/client.ts';
import { budgetStore, useRedis } from '../support.ts';

export let redis: TestRedis;
export let client: RedisClient;

/** Redis refuses to mix fake and real clocks in windows: each test with a clock uses its own key. */
export function storeAt(clock: { now: number }, more: Parameters<typeof budgetStore>[1] = {}) {
  return budgetStore(client, { now: () => clock.now, ...more });
}

export const NOON = Date.UTC(2026, 0, 15, 12, 0, 0);
export function useRig(): void {
  useRedis((started) => ({ redis, client } = started));
}
