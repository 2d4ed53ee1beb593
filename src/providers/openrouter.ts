import { anthropicMessages } from './dialects/anthropic-messages.ts';
import { outputsOfBody, storedPrompt } from './dialects/settings.ts';
import { openaiEmbeddings } from './dialects/openai-embeddings.ts';
import { readModels, type OpenaiVariant } from './dialects/openai-request.ts';
import { readToolSwitches, toolFacts } from './dialects/openai-tools.ts';
import { routed } from './dialects/routed.ts';
import type { OwnPrice } from './descriptor.ts';
import { ANTHROPIC_HEADERS, ANTHROPIC_PARAMETERS } from './client-headers.ts';
import { openaiEndpoints, tableProvider, pick, under } from './openai-style.ts';
import type { Dialect, Endpoint } from './dialect.ts';

/** Streams report usage by default. The body may name fallback models, plugins and stored presets. */
const variant: OpenaiVariant = {
  limitFields: ['max_tokens', 'max_completion_tokens'],
  asksUsage: false,
  routes: true,
};

/** Adds OpenRouter's members, which work at every endpoint, to a dialect that does not know them. */
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

/** Suffixes that route the same model differently. `:free` and `:thinking` have prices of their own. */
const ROUTING = /:(?:nitro|floor|online|exacto|beta)$/;

function ownPrice(model: string): OwnPrice | undefined {
  // The router selects the model, and its price is not known beforehand.
  if (model.trim().startsWith('openrouter/')) return 'unknown';
  return model.endsWith(':free') ? 'free' : undefined;
}

/** OpenRouter, with OpenAI's and Anthropic's dialects. */
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
    // Some hosts use fast hardware.
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
