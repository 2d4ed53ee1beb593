import { GatewayError } from '../errors.ts';
import type { JsonObject } from '../json/is-object.ts';
import type { JsonEdit } from '../json/path.ts';
import { ANTHROPIC_HEADERS, ANTHROPIC_PARAMETERS } from './client-headers.ts';
import type { OwnPrice } from './descriptor.ts';
import type { Dialect, Endpoint } from './dialect.ts';
import { anthropicMessages } from './dialects/anthropic-messages.ts';
import { billed, usdBill } from './dialects/billed.ts';
import { objectOf, optionalObject, refuseOtherCase } from './dialects/fields.ts';
import { openaiEmbeddings } from './dialects/openai-embeddings.ts';
import { type OpenaiVariant, readModels } from './dialects/openai-request.ts';
import { readToolSwitches, toolFacts } from './dialects/openai-tools.ts';
import { outputsOfBody, storedPrompt } from './dialects/settings.ts';
import { openaiEndpoints, pick, tableProvider, under } from './openai-style.ts';
import type { PriceCap, RequestFacts } from './request-facts.ts';

/** Streams report usage by default. The body may name fallback models, plugins and stored presets. */
const variant: OpenaiVariant = {
  limitFields: ['max_tokens', 'max_completion_tokens'],
  asksUsage: false,
  routes: true,
};

/** Adds OpenRouter's members, which every endpoint accepts, to a dialect that does not know them. */
function withRouterMembers(name: string, inner: Dialect): Dialect {
  return {
    ...inner,
    name,
    request(body, endpoint) {
      const facts = inner.request(body, endpoint);
      const { names, online, preset } = readModels(body, endpoint, variant);
      const models = [...names, ...facts.models.slice(1)];
      const { hostedTools } = toolFacts([...readToolSwitches(body, models), ...online], undefined);
      return {
        ...facts,
        model: names[0],
        models,
        hostedTools: [...facts.hostedTools, ...hostedTools],
        unseenContent: facts.unseenContent || preset,
        ...outputsOfBody(body),
        ...storedPrompt(body, models),
        ...(preset && { unbounded: 'preset' }),
      };
    },
  };
}

const endpoints: Readonly<Record<string, Endpoint>> = {
  ...under('/v1', pick(openaiEndpoints(variant), '/chat/completions', '/completions', '/responses')),
  '/v1/embeddings': {
    operation: 'embeddings',
    dialect: withRouterMembers('openrouter-embeddings', openaiEmbeddings),
  },
  '/v1/messages': {
    operation: 'chat',
    dialect: withRouterMembers('openrouter-messages', anthropicMessages),
  },
};

const VENDOR_TABLES: ReadonlyMap<string, string> = new Map([
  ['openai', 'openai'],
  ['anthropic', 'anthropic'],
  ['google', 'google'],
  ['mistralai', 'mistral'],
  ['deepseek', 'deepseek'],
  ['x-ai', 'x-ai'],
  ['cohere', 'cohere'],
]);

/** Suffixes that route the same model differently. `:free` and `:thinking` have their own prices. */
const ROUTING = /:(?:nitro|floor|online|exacto|beta)$/;

function ownPrice(model: string): OwnPrice | undefined {
  // The router selects the model, so the price is not known in advance.
  if (model.trim().startsWith('openrouter/')) return 'unknown';
  return model.endsWith(':free') ? 'free' : undefined;
}

export const openrouter = tableProvider({
  name: 'openrouter',
  defaultBaseUrl: 'https://openrouter.ai/api',
  basePaths: { openai: '/v1', anthropic: '' },
  errorShape: 'openai',
  errorShapesAt: [[/^\/(api\/)?v1\/messages/, 'anthropic']],
  exec: {
    keys: ['OPENROUTER_API_KEY'],
    addresses: { OPENROUTER_BASE_URL: '/v1', OPENROUTER_API_BASE: '/v1' },
  },
  pricing: {
    outputTokensPerSecond: 3_000,
    tableNames: (model) => [model, model.replace(ROUTING, '')],
    vendorTables: VENDOR_TABLES,
    ownPrice,
    // Some hosts bill a flat price per image, which may exceed the price of its pixels.
    imageTokens: () => undefined,
  },
  headers: new Set([
    ...ANTHROPIC_HEADERS,
    'http-referer',
    'x-title',
    'x-openrouter-title',
    'x-openrouter-categories',
  ]),
  parameters: ANTHROPIC_PARAMETERS,
  post: Object.fromEntries(
    Object.entries(endpoints).map(([path, endpoint]) => [
      path,
      { ...endpoint, dialect: routed(endpoint.dialect) },
    ]),
  ),
});

/** Caps the prices of the hosts among which OpenRouter chooses, and reads the actual cost (openrouter.ai/docs). */
function routed(inner: Dialect): Dialect {
  return {
    ...billed(inner, billOf),
    request: (body, endpoint) => ({ ...inner.request(body, endpoint), ...readRouting(body) }),
  };
}

/** The members of `provider` that are read. All others only choose among hosts, whose prices are capped. */
const ROUTING_MEMBERS: ReadonlySet<string> = new Set(['max_price']);

function readRouting(body: JsonObject): Pick<RequestFacts, 'capPrice'> {
  refuseOtherCase(body, (name) => name === 'provider');
  const provider = optionalObject(body, 'provider') ?? {};
  refuseOtherCase(provider, (name) => ROUTING_MEMBERS.has(name));
  const own = optionalObject(provider, 'max_price') ?? {};
  const limits = new Map(Object.entries(own).map(([name, value]) => [name, usdOf(value)]));
  refuseOtherCase(own, (name) => CAPPED.has(name));
  return {
    capPrice: (cap) =>
      [...CAPPED].flatMap(([name, limitOf]): JsonEdit[] => {
        const most = limitOf(cap);
        if (most === undefined || (limits.get(name) ?? Infinity) <= most) return [];
        return [{ kind: 'set', path: ['provider', 'max_price', name], value: most }];
      }),
  };
}

/** Members of `max_price`: USD per million tokens, per request and per image. */
const CAPPED: ReadonlyMap<string, (cap: PriceCap) => number | undefined> = new Map([
  ['prompt', ({ inputUsdPerMillion }: PriceCap) => inputUsdPerMillion],
  ['completion', ({ outputUsdPerMillion }: PriceCap) => outputUsdPerMillion],
  ['request', ({ requestUsd }: PriceCap) => requestUsd],
  ['image', ({ imageUsd }: PriceCap) => imageUsd],
  ['audio', ({ audioUsdPerMillion }: PriceCap) => audioUsdPerMillion],
]);

/** OpenRouter accepts numbers and decimal strings. Null counts as absent. */
function usdOf(value: unknown): number {
  if (value === null) return Infinity;
  const isDecimal = typeof value === 'string' && /^\d{1,12}(?:\.\d{1,12})?$/.test(value);
  const usd = typeof value === 'number' || isDecimal ? Number(value) : Number.NaN;
  if (usd >= 0 && usd < Infinity) return usd;
  throw new GatewayError(
    'invalid_request',
    'The request\'s "provider.max_price" must contain prices in USD of at least 0.',
  );
}

/** Adds the host's bill if the client's own key is used at the host. */
function billOf({ cost, is_byok: ownKey, cost_details: details }: JsonObject): number | undefined {
  const billed = usdBill(cost);
  const upstream = ownKey === true ? (usdBill(objectOf(details).upstream_inference_cost) ?? 0) : 0;
  return billed === undefined ? undefined : billed + upstream;
}
