import { configSchema, type ConfigInput } from '../../../src/config/schema.ts';
import type { ModelPrice } from '../../../src/pricing/price.ts';
import { createPricing } from '../../../src/pricing/pricing.ts';
import type { ProviderName } from '../../../src/providers/registry.ts';

export function pricing(input: ConfigInput = {}) {
  return createPricing(configSchema.parse(input));
}

export const table = pricing();

export function price(provider: ProviderName, model: string): ModelPrice {
  const found = table.find(provider, model);
  if (found === undefined) {
    throw new Error(`no price for ${provider} ${model}`);
  }
  return found;
}

/** DeepSeek's peak hours (UTC 00:30 to 16:30), and after them. */
export const PEAK = new Date('2026-03-02T08:00:00Z');

export const OFF_PEAK = new Date('2026-03-02T20:00:00Z');
