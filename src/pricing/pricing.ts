import { calcPrice, type ModelInfo } from '@pydantic/genai-prices';
import type { CoreConfig } from '../config/core.ts';
import type { Usage } from '../providers/dialect.ts';
import { OUTPUT_MODALITIES, type OutputModality } from '../providers/request-facts.ts';
import type { ProviderPricing } from '../providers/descriptor.ts';
import { providers, type Provider, type ProviderName } from '../providers/registry.ts';
import { RecentMap } from '../recent-map.ts';
import { createModelOf } from './deployments.ts';
import { contextTokensOf, knownMaxOutputTokens } from './known-models.ts';
import type { ModelPrice, Pricing } from './price.ts';
import {
  costOf,
  FREE,
  flat,
  multiplied,
  overriddenPeriods,
  overriddenRates,
  periodAt,
  periodsFrom,
  periodsOf,
  TEXT_ONLY,
  tierFor,
  worstInput,
  worstOutput,
  type PriceOverride,
  type PricePeriod,
  type Rates,
} from './rates.ts';

export interface PricingConfig {
  readonly pricing: CoreConfig['pricing'];
  readonly providers: { readonly azure: { readonly deployments: Readonly<Record<string, string>> } } & {
    readonly [Name in ProviderName]?: { readonly base_url?: string | undefined };
  };
}

/** Maximum number of cached prices. Limits memory, because clients choose the names. */
const MAX_CACHED_MODELS = 2_048;
const MAX_NAME_CHARS = 256;

/** Uses the offline price table and the overrides in gateway.yaml (docs/pricing.md). */
export function createPricing(config: PricingConfig): Pricing {
  const overrides = new Map(Object.entries(config.pricing.overrides));
  const modelOf = createModelOf(config.providers.azure.deployments);
  const cache = new RecentMap<ModelPrice | 'unknown'>(MAX_CACHED_MODELS);

  function resolve(provider: ProviderName, name: string, model: string): ModelPrice | undefined {
    // A deployment may have its own price, but must not inherit that of a model with the same name.
    const override =
      model === name
        ? findOverride(overrides, provider, name)
        : (overrides.get(`${provider}/${name}`) ?? findOverride(overrides, provider, model));
    const listed = atHost(lookUp(provider, model), provider, model, config.providers[provider]?.base_url);
    const periods = override === undefined ? listed.periods : overriddenPeriods(listed.periods, override);
    return (
      periods &&
      createModelPrice(periods, {
        models: [model],
        maxOutputTokens: override?.max_output_tokens ?? knownMaxOutputTokens(model),
        contextTokens: override?.context_tokens ?? contextTokensOf(model, listed.contextTokens),
      })
    );
  }

  function known(provider: ProviderName, name: string, model: string): ModelPrice | undefined {
    const key = `${provider}\n${name}\n${model}`;
    const cached = cache.get(key);
    if (cached !== undefined) return cached === 'unknown' ? undefined : cached;
    if (name.length > MAX_NAME_CHARS) return undefined;
    const price = resolve(provider, name, model);
    cache.set(key, price ?? 'unknown');
    return price;
  }

  return {
    find: (provider, name) => known(provider, name, modelOf(provider, name)),
    findReported: (provider, model) => known(provider, model, model),
  };
}

/** Returns the price for models without one, or undefined if these are refused. */
export function priceOfUnknown(
  setting: CoreConfig['pricing']['unknown_model'],
  hasBudget: boolean,
): ModelPrice | undefined {
  const action = setting ?? (hasBudget ? 'deny' : 'free');
  if (action === 'deny') return undefined;
  const rates = action === 'free' ? FREE : overriddenRates(TEXT_ONLY, action);
  const price = createModelPrice(flat(rates), {
    models: [],
    maxOutputTokens: undefined,
    contextTokens: undefined,
  });
  return action === 'free' ? { ...price, listed: undefined } : price;
}

/** Returns the price of a request for several models: the highest of each rate and the lowest of each limit. */
export function mostExpensiveOf(prices: readonly ModelPrice[]): ModelPrice {
  const [only] = prices;
  if (only !== undefined && prices.length === 1) return only;
  const most = (value: (price: ModelPrice) => number): number => Math.max(...prices.map(value));
  function least(value: (price: ModelPrice) => number | undefined): number | undefined {
    const known = prices.map(value).filter((limit) => limit !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }
  const listed = prices.map((price) => price.listed).filter((rates) => rates !== undefined);
  const allHaveAudio = prices.every(({ worstInputAudioNanoUsd }) => worstInputAudioNanoUsd !== undefined);
  return {
    models: prices.flatMap(({ models }) => models),
    worstInputNanoUsd: most((price) => price.worstInputNanoUsd),
    worstOutputNanoUsd: most((price) => price.worstOutputNanoUsd),
    worstInputAudioNanoUsd: allHaveAudio ? most((price) => price.worstInputAudioNanoUsd ?? 0) : undefined,
    pricedOutputs: new Set(
      OUTPUT_MODALITIES.filter((output) => prices.every(({ pricedOutputs }) => pricedOutputs.has(output))),
    ),
    listed:
      listed.length < prices.length
        ? undefined
        : {
            inputNanoUsd: Math.max(...listed.map(({ inputNanoUsd }) => inputNanoUsd)),
            outputNanoUsd: Math.max(...listed.map(({ outputNanoUsd }) => outputNanoUsd)),
          },
    requestNanoUsd: most((price) => price.requestNanoUsd),
    maxOutputTokens: least((price) => price.maxOutputTokens),
    contextTokens: least((price) => price.contextTokens),
    worstRates: (maxInputTokens) => ({
      inputNanoUsd: most((price) => price.worstRates(maxInputTokens).inputNanoUsd),
      outputNanoUsd: most((price) => price.worstRates(maxInputTokens).outputNanoUsd),
    }),
    cost: (usage, at) => most((price) => price.cost(usage, at)),
  };
}

function findOverride(
  overrides: ReadonlyMap<string, PriceOverride>,
  provider: ProviderName,
  model: string,
): PriceOverride | undefined {
  for (const name of [model, ...tableNames(provider, model).map((alias) => alias.model)]) {
    const override = overrides.get(`${provider}/${name}`) ?? overrides.get(name);
    if (override !== undefined) return override;
  }
  return undefined;
}

interface Known {
  readonly periods: PricePeriod[] | undefined;
  readonly contextTokens: number | undefined;
}

const UNKNOWN: Known = { periods: undefined, contextTokens: undefined };

function lookUp(provider: ProviderName, model: string): Known {
  const { selfHosted, pricing }: Provider = providers[provider];
  const own = selfHosted ? 'free' : pricing.ownPrice?.(model);
  if (own === 'unknown') return UNKNOWN;
  if (own === 'free') return { periods: flat(FREE), contextTokens: undefined };
  if (own !== undefined) {
    return { periods: flat({ ...FREE, request: own.requestNanoUsd }), contextTokens: undefined };
  }
  for (const { table, model: name } of tableNames(provider, model)) {
    const found: ModelInfo | undefined = calcPrice({}, name, { providerId: table })?.model;
    const periods = found && periodsOf(found);
    if (found !== undefined && periods !== undefined) {
      return { periods, contextTokens: found.context_window };
    }
  }
  return UNKNOWN;
}

/** Applies the higher prices that some providers list for regional hosts. */
function atHost(listed: Known, provider: ProviderName, model: string, baseUrl = ''): Known {
  const { regional }: ProviderPricing = providers[provider].pricing;
  // A host name may end with the dot of the DNS root.
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname.replace(/\.$/, '') : '';
  const isRegional = regional?.host.test(host) === true;
  const times = isRegional ? regional.times.find(([pattern]) => pattern.test(model))?.[1] : undefined;
  return listed.periods === undefined || times === undefined || times === 1
    ? listed
    : { ...listed, periods: multiplied(listed.periods, times) };
}

function createModelPrice(
  periods: readonly PricePeriod[],
  limits: Pick<ModelPrice, 'models' | 'maxOutputTokens' | 'contextTokens'>,
): ModelPrice {
  const possible = periodsFrom(periods, Date.now());
  const allRates = possible.flatMap(({ tiers }) => tiers.map(({ rates }) => rates));
  const highest = (rate: (rates: Rates) => number): number => Math.max(...allRates.map(rate));
  const untiered = possible.flatMap(({ tiers }) => tiers.slice(0, 1).map(({ rates }) => rates));
  const hasAudio = allRates.every(({ inputAudio }) => inputAudio !== undefined);
  return {
    ...limits,
    worstInputNanoUsd: highest(worstInput),
    worstOutputNanoUsd: highest(worstOutput),
    worstInputAudioNanoUsd: hasAudio ? highest(({ inputAudio }) => inputAudio ?? 0) : undefined,
    pricedOutputs: new Set(
      OUTPUT_MODALITIES.filter((output) => allRates.every((rates) => rateOf(rates, output) !== undefined)),
    ),
    listed: {
      inputNanoUsd: Math.max(...untiered.map(({ input }) => input)),
      outputNanoUsd: Math.max(...untiered.map(({ output }) => output)),
    },
    requestNanoUsd: highest(({ request }) => request),
    worstRates(maxInputTokens) {
      let inputNanoUsd = 0;
      let outputNanoUsd = 0;
      for (const period of possible) {
        for (const { above, rates } of period.tiers) {
          if (maxInputTokens > above) {
            inputNanoUsd = Math.max(inputNanoUsd, worstInput(rates));
            outputNanoUsd = Math.max(outputNanoUsd, worstOutput(rates));
          }
        }
      }
      return { inputNanoUsd, outputNanoUsd };
    },
    cost(usage: Usage, at: Date): number {
      const period = periodAt(periods, at);
      const cost = period === undefined ? 0 : costOf(tierFor(period, usage.inputTokens), usage);
      // Floating-point errors must not add a nano-USD.
      return Math.max(0, Math.ceil(cost - 1e-6));
    },
  };
}

function rateOf(rates: Rates, output: OutputModality): number | undefined {
  return { audio: rates.outputAudio, image: rates.outputImage, video: rates.outputVideo }[output];
}

interface TableName {
  readonly table: string;
  readonly model: string;
}

/** Matches snapshot suffixes: `-20250929`, `@20250929`, `-2024-08-06`, `-2506`, `-002`, `-preview-05-20`. */
const SNAPSHOT = /(?:[-@]20\d{6}|-20\d{2}-\d{2}-\d{2}|-(?:preview|exp)-\d{2}-\d{2,4}|-\d{4}|-00\d)$/;

/**
 * Returns the names that a model may have in the price table, best first. Providers bill snapshots like their model,
 * so a dated name also finds the model's price.
 */
function tableNames(provider: ProviderName, model: string): TableName[] {
  const { pricing }: Provider = providers[provider];
  const { table = provider, tableNames: ownNames = plainNames, vendorTables } = pricing;
  const names = ownNames(model.trim());
  const found = names.flatMap((name) => withoutSnapshot(name)).map((name) => ({ table, model: name }));
  if (vendorTables !== undefined) found.push(...names.flatMap((name) => vendorNames(name, vendorTables)));
  return found;
}

/** Returns the name as received, followed by the name without a prefix that some clients add. */
function plainNames(model: string): readonly string[] {
  return [model, model.replace(/^models\//, '')];
}

/**
 * In the table, a family without a version number keeps its first price, but `-latest` refers to its newest model:
 * `gemini-pro-latest` costs twenty times as much as `gemini-pro`. Such aliases need their own price.
 */
function withoutSnapshot(name: string): string[] {
  const base = name.replace(/-latest$/, '');
  if (base !== name && !/\d/.test(base)) return [name];
  const plain = base.replace(SNAPSHOT, '');
  return plain === name ? [name] : [name, plain, `${plain}-latest`];
}

function vendorNames(name: string, tables: ReadonlyMap<string, string>): TableName[] {
  const slash = name.indexOf('/');
  const table = tables.get(name.slice(0, slash));
  return table === undefined || name.includes(':')
    ? []
    : withoutSnapshot(name.slice(slash + 1)).map((model) => ({ table, model }));
}
