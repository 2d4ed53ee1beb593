import type { JsonObject } from '../json/is-object.ts';
import { billed, usdBill } from './dialects/billed.ts';
import type { ErrorAnswer } from './descriptor.ts';
import { openaiEndpoints, tableProvider, pick, under } from './openai-style.ts';

/** Streams report usage in their last chunk by default. */
const endpoints = openaiEndpoints({ limitFields: ['max_tokens', 'max_completion_tokens'], asksUsage: false });

const TICKS_PER_USD = 1e10;

/** Returns the actual cost, including xAI's tools and long contexts (docs.x.ai, cost tracking). */
function billOf({ cost_in_usd_ticks: ticks }: JsonObject): number | undefined {
  return typeof ticks === 'number' ? usdBill(ticks / TICKS_PER_USD) : undefined;
}

const BILLED = Object.fromEntries(
  Object.entries(pick(endpoints, '/chat/completions', '/completions', '/responses', '/embeddings')).map(
    ([path, endpoint]) => [path, { ...endpoint, dialect: billed(endpoint.dialect, billOf) }],
  ),
);

const AGAINST_GUIDELINES = /usage guidelines?/i;

/** xAI bills requests that violate its guidelines as if it had answered them (docs.x.ai, pricing). */
function billsError({ status, text }: ErrorAnswer): boolean {
  return (status === 400 || status === 403) && (text === undefined || AGAINST_GUIDELINES.test(text));
}

/** Images and deferred completions are not supported. */
export const xai = tableProvider({
  name: 'xai',
  defaultBaseUrl: 'https://api.x.ai',
  basePaths: { openai: '/v1' },
  errorShape: 'openai',
  keyRefusedIn: {
    statuses: [400, 403],
    text: /"(?:error|message)"\s{0,8}:\s{0,8}"(?:(?:The |Your )?API key is currently (?:blocked|disabled)|Incorrect API key provided)/i,
  },
  exec: { keys: ['XAI_API_KEY'], addresses: { XAI_BASE_URL: '/v1', XAI_API_BASE: '/v1' } },
  pricing: {
    outputTokensPerSecond: 300,
    table: 'x-ai',
    searchUsd: 0.025,
    maxImageTokens: 1_800,
    // docs.x.ai/developers/pricing
    tiers: { priority: [[/^/, 2]] },
    // docs.x.ai, regions
    regional: { host: /^[a-z0-9-]+\.api\.x\.ai$/, times: [[/^/, 1.1]] },
    billsError,
    refusalFees: { responses: 50_000_000 },
  },
  traces: { aliases: ['x_ai'], models: /^grok-/ },
  // Clients choose the ids of batch requests, like `custom_id`.
  objects: {
    own: 'batch_id',
    nextPage: ['pagination_token', 'pagination_token'],
    harmless: new Set(['batch_request_id']),
  },
  parameters: new Set(['pagination_token']),
  headers: new Set(['x-grok-conv-id']),
  post: under('/v1', BILLED),
});
