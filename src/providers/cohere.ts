import { cohereChatV1, cohereChatV2 } from './dialects/cohere-chat.ts';
import { cohereEmbed, cohereRerank, cohereTokenize } from './dialects/cohere-search.ts';
import { openaiEndpoints, pick, tableProvider, under } from './openai-style.ts';
import type { Endpoint } from './dialect.ts';

const POST: Readonly<Record<string, Endpoint>> = {
  '/v2/chat': { operation: 'chat', dialect: cohereChatV2 },
  '/v1/chat': { operation: 'chat', dialect: cohereChatV1 },
  '/v2/embed': { operation: 'embeddings', dialect: cohereEmbed },
  '/v1/embed': { operation: 'embeddings', dialect: cohereEmbed },
  '/v2/rerank': { operation: 'rerank', dialect: cohereRerank },
  '/v1/rerank': { operation: 'rerank', dialect: cohereRerank },
  '/v1/tokenize': { operation: 'count_tokens', dialect: cohereTokenize },
  ...under(
    '/compatibility/v1',
    pick(
      openaiEndpoints({ limitFields: ['max_tokens'], asksUsage: true }),
      '/chat/completions',
      '/embeddings',
    ),
  ),
};

/** Cohere bills reranking in search units, 2 USD per thousand (cohere.com/pricing). The price table lacks them. */
const RERANK_REQUEST_NANO_USD = 2_000_000;

/** Cohere's API, without `detokenize` and the retired generation endpoints. */
export const cohere = tableProvider({
  name: 'cohere',
  defaultBaseUrl: 'https://api.cohere.com',
  roots: ['/v2', '/v1', '/compatibility/v1'],
  basePaths: { openai: '/compatibility/v1' },
  errorShape: 'cohere',
  errorShapesAt: [[/^\/compatibility\//, 'openai']],
  exec: { keys: ['CO_API_KEY', 'COHERE_API_KEY'], addresses: { CO_API_URL: '' } },
  pricing: {
    outputTokensPerSecond: 300,
    ownPrice: (model) =>
      model.startsWith('rerank-') ? { requestNanoUsd: RERANK_REQUEST_NANO_USD } : undefined,
  },
  traces: { models: /^command-/ },
  objects: { own: 'job_id', nextPage: ['next_page_token', 'page_token'] },
  post: POST,
  headers: new Set([
    'x-client-name',
    ...['language', 'runtime', 'runtime-version', 'sdk-name', 'sdk-version'].map((what) => `x-fern-${what}`),
  ]),
  parameters: new Set(['default_only', 'endpoint']),
  models: /^\/v1\/models(\/[^/]+)?$/,
});
