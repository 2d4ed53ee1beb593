import type { BudgetLimits } from '../../../../src/budget-windows.ts';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { windowAccounts } from '../../../../src/checks/budget/accounts.ts';
import { createBudgetCheck } from '../../../../src/checks/budget/check.ts';
import type { BudgetCheckDeps } from '../../../../src/checks/budget/deps.ts';
import {
  createRedisBudgetStore,
  type RedisBudgetStoreOptions,
} from '../../../../src/checks/budget/redis-store.ts';
import type { BudgetStore, Reservation } from '../../../../src/checks/budget/store.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import { createPricing, type PricingConfig } from '../../../../src/pricing/pricing.ts';
import {
  connectRedis,
  waitUntilReady,
  type RedisClient,
  type RedisSettings,
} from '../../../../src/redis/client.ts';
import { startTestRedis, type TestRedis } from '../../../support/redis.ts';

export const USD = 1_000_000_000;

export function redisSettings(addr: string, more: Partial<RedisSettings> = {}): RedisSettings {
  return { ...configSchema.parse({ redis: { addr } }).redis, ...more };
}

export async function connect(addr: string, more: Partial<RedisSettings> = {}): Promise<RedisClient> {
  const client = connectRedis(redisSettings(addr, more), { name: 'test' });
  await waitUntilReady(client, 5_000);
  return client;
}

export interface StartedRedis {
  readonly redis: TestRedis;
  readonly client: RedisClient;
}

/** A Redis and a client of ours, available from before a file's first test, when `use` gets both, until after its last. */
export function useRedis(use: (started: StartedRedis) => void): void {
  let started: StartedRedis | undefined;
  beforeAll(async () => {
    const redis = await startTestRedis();
    started = { redis, client: await connect(redis.addr) };
    use(started);
  });
  afterAll(async () => {
    started?.client.disconnect();
    await started?.redis.close();
  });
}

export function budgetStore(client: RedisClient, more: Partial<RedisBudgetStoreOptions> = {}): BudgetStore {
  return createRedisBudgetStore({ client, deadlineMs: 2_500, alertPercents: [], ...more });
}

/** A budget check that tells nobody what it does, unless a test listens. */
export function quietBudgetCheck(
  config: PricingConfig & BudgetCheckDeps['config'],
  store: BudgetStore,
  more: Partial<BudgetCheckDeps> = {},
): ReturnType<typeof createBudgetCheck> {
  return createBudgetCheck({
    config,
    pricing: createPricing(config),
    store,
    findShared: () => [],
    toolCost: () => undefined,
    onCrossed: () => undefined,
    onAlert: () => undefined,
    onReserved: () => undefined,
    onCharged: () => undefined,
    onOverReservation: () => undefined,
    onHigherCharge: () => undefined,
    onAbsurdUsage: () => undefined,
    onFailure: () => undefined,
    ...more,
  });
}

export function newKeyHash(): string {
  return `sha256:${randomUUID()}`;
}

/** A reservation of `inputNanoUsd` and no output. */
export function reservation(
  keyHash: string,
  limits: BudgetLimits,
  inputNanoUsd: number,
  more: Partial<Reservation> = {},
): Reservation {
  return {
    keyHash,
    operationId: randomUUID(),
    accounts: windowAccounts(limits),
    inputNanoUsd,
    outputNanoUsd: 0,
    outputTokens: 0,
    maxGrantTokens: 8192,
    minGrantTokens: 256,
    lowestTokens: undefined,
    ...more,
  };
}

/** Reserves for a new key with these limits. */
export async function heldIn(store: BudgetStore, limits: BudgetLimits, inputNanoUsd: number) {
  const keyHash = newKeyHash();
  const held = reservation(keyHash, limits, inputNanoUsd);
  await store.reserve(held);
  return { keyHash, held };
}

/** One window of `budget status`. */
export async function windowStatus(store: BudgetStore, keyHash: string, name: string) {
  const statuses = await store.status(keyHash, windowAccounts({}));
  const found = statuses.find(({ account }) => account.name === name);
  if (found === undefined) {
    throw new Error(`no window ${name}`);
  }
  return { spent: found.spentNanoUsd, reserved: found.reservedNanoUsd, resetMs: found.resetMs };
}
