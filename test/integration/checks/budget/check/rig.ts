import { beforeAll, afterAll } from 'vitest';
import { type TestRedis, startTestRedis } from '../../../../support/redis.ts';
import type { RedisClient } from '../../../../../src/redis/client.ts';
import type { BudgetStore } from '../../../../../src/checks/budget/store.ts';
import { type ConfigInput, configSchema } from '../../../../../src/config/schema.ts';
import type { BudgetAlert, BudgetCheckDeps } from '../../../../../src/checks/budget/deps.ts';
import { settling } from '../../../../support/respond.ts';
import { type RequestOptions, parsed } from '../../../../support/exchange.ts';
import type { Parsed } from '../../../../../src/pipeline/exchange.ts';
import { USD, windowStatus, connect, budgetStore, quietBudgetCheck } from '../support.ts';

/** The members that requests to OpenAI get beside their limit for a key with a budget. */
export const PINNED = { kind: 'set', path: ['service_tier'], value: 'default' };

let redis: TestRedis;
export let client: RedisClient;
let store: BudgetStore;
const closing: (() => Promise<void>)[] = [];

/** Output at 1,000 nano-USD a token, free input: the output alone decides the cost. */
const PRICES = { flat: { input: 0, output: 1 }, both: { input: 1, output: 1 } };

export function budgetCheck(input: ConfigInput = {}, more: Partial<BudgetCheckDeps> = {}) {
  const config = configSchema.parse({
    ...input,
    pricing: {
      overrides: {
        ...PRICES,
        'openai/gpt-5': { input: 0, output: 1 },
        'openai/GPT-5': { input: 0, output: 1 },
        'openai/gpt-5-pro': { input: 0, output: 1 },
        'openai/claude-sonnet-4-5': { input: 0, output: 1 },
      },
      ...input.pricing,
    },
  });
  const alerts: BudgetAlert[] = [];
  const counts = { over: 0, failures: 0, reportedNanoUsd: 0 };
  const absurd: string[] = [];
  const { check, close } = quietBudgetCheck(config, store, {
    onAlert: (alert) => alerts.push(alert),
    onOverReservation: () => (counts.over += 1),
    onHigherCharge: (_exchange, nanoUsd) => (counts.reportedNanoUsd += nanoUsd),
    onAbsurdUsage: (_exchange, told) => absurd.push(told),
    onFailure: () => (counts.failures += 1),
    ...more,
  });
  closing.push(close);
  return { check: settling(check), close, alerts, counts, absurd };
}

export function chat(
  options: Partial<RequestOptions> & { readonly model?: string; readonly maxTokens?: number } = {},
): Parsed {
  return parsed({
    limits: { daily: USD },
    ...options,
    body: options.body ?? {
      model: options.model ?? 'flat',
      messages: [{ role: 'user', content: 'Say something.' }],
      ...(options.maxTokens === undefined ? {} : { max_tokens: options.maxTokens }),
    },
  });
}

export async function spendOf(exchange: Parsed) {
  const { spent, reserved } = await windowStatus(store, exchange.key.keyHash, 'daily');
  return { spent, reserved };
}
export function useRig(): void {
  beforeAll(async () => {
    redis = await startTestRedis();
    client = await connect(redis.addr);
    store = budgetStore(client, { alertPercents: [50] });
  });
  afterAll(async () => {
    await Promise.all(closing.map((close) => close()));
    client.disconnect();
    await redis.close();
  });
}
