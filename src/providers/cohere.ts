import { cohereChatV1, cohereChatV2 } from './dialects/cohere-chat.ts';
import { cohereEmbed, cohereRerank, cohereTokenize } from './dialects/cohere-search.ts';
import { openaiEndpoints, pick, tableProvider, under } from './openai-style.ts';
import type { Endpoint } from './provider.ts';

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

/** Cohere's API. `detokenize` and the retired generation endpoints are not readable. */
export const cohere = tableProvider({
  name: 'cohere',
  defaultBaseUrl: 'https://api.cohere.com',
  roots: ['/v2', '/v1', '/compatibility/v1'],
  post: POST,
  headers: new Set([
    'x-client-name',
    ...['language', 'runtime', 'runtime-version', 'sdk-name', 'sdk-version'].map((what) => `x-fern-${what}`),
  ]),
  parameters: new Set(['default_only', 'endpoint']),
  models: /^\/v1\/models(\/[^/]+)?$/,
});
