import type { PriceMultiples, ProviderPricing } from '../providers/descriptor.ts';
import { providers, type ProviderName } from '../providers/registry.ts';
import type { BillingDetails } from '../providers/billing-details.ts';

/** Tiers that cost the list price or less, and prepaid commitments. Discounts are not applied. */
const USUAL_TIERS: ReadonlySet<string> = new Set([
  'auto',
  'default',
  'standard',
  'standard_only',
  'on_demand',
  'flex',
  'on_demand_flex',
  'batch',
  'scale',
  'reserved',
  'provisioned_throughput',
  'unspecified',
  'traffic_type_unspecified',
]);

/** Factor of a tier without a published price: the highest known one. */
const HIGHEST_FACTOR = 2.5;

/** Factors for Claude's fast mode (platform.claude.com, fast mode). Other models get the higher factor. */
const FAST: PriceMultiples = [
  [/opus-(?:4[-.]8|5)|fable|mythos/, 2],
  [/^/, 6],
];
/** Factor for Bedrock's latency-optimized models (aws.amazon.com/bedrock/pricing). */
const OPTIMIZED: PriceMultiples = [[/^/, 1.25]];
const USUAL_SPEEDS: ReadonlySet<string> = new Set(['standard', 'default', 'normal']);

/** Factor for Claude inference in one country (platform.claude.com, data residency). */
const ONE_COUNTRY = 1.1;
const USUAL_GEOS: ReadonlySet<string> = new Set(['global', 'not_available', 'unspecified']);

/** Returns the list price factor for billing details: the highest of all models and values. */
export function surchargeOf(
  provider: ProviderName,
  models: readonly string[],
  { tiers, speeds, geos }: Pick<BillingDetails, 'tiers' | 'speeds' | 'geos'>,
): number {
  const tier = highest(tiers, (name) => tierTimes(provider, models, name));
  const speed = highest(speeds, (name) => speedTimes(models, name));
  const geo = highest(geos, (name) => (USUAL_GEOS.has(name) ? 1 : ONE_COUNTRY));
  return tier * speed * geo;
}

function tierTimes(provider: ProviderName, models: readonly string[], name: string): number {
  if (USUAL_TIERS.has(name)) return 1;
  const { tiers = {} }: ProviderPricing = providers[provider].pricing;
  const listed = Object.hasOwn(tiers, name) ? tiers[name] : undefined;
  return listed === undefined ? HIGHEST_FACTOR : highestFor(models, listed);
}

function speedTimes(models: readonly string[], name: string): number {
  if (USUAL_SPEEDS.has(name)) return 1;
  return highestFor(models, name === 'optimized' ? OPTIMIZED : FAST);
}

function highestFor(models: readonly string[], times: PriceMultiples): number {
  const each = (model: string) => times.find(([pattern]) => pattern.test(model))?.[1] ?? HIGHEST_FACTOR;
  return models.length === 0 ? each('') : Math.max(...models.map((model) => each(model.toLowerCase())));
}

function highest(names: readonly string[], timesOf: (name: string) => number): number {
  return names.reduce((most, name) => Math.max(most, timesOf(name.toLowerCase())), 1);
}
