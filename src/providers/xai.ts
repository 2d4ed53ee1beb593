import { openaiEndpoints, tableProvider, pick, under } from './openai-style.ts';

/** Streams report usage in their last chunk by default. */
const endpoints = openaiEndpoints({ limitFields: ['max_tokens', 'max_completion_tokens'], asksUsage: false });

/** xAI. Images and deferred completions are not readable. */
export const xai = tableProvider({
  name: 'xai',
  defaultBaseUrl: 'https://api.x.ai',
  basePaths: { openai: '/v1' },
  errorShape: 'openai',
  exec: { keys: ['XAI_API_KEY'], addresses: { XAI_BASE_URL: '/v1', XAI_API_BASE: '/v1' } },
  pricing: {
    outputTokensPerSecond: 300,
    table: 'x-ai',
    searchUsd: 0.025,
    maxImageTokens: 1_800,
    // docs.x.ai/developers/pricing
    tiers: { priority: [[/^/, 2]] },
  },
  traces: { aliases: ['x_ai'], models: /^grok-/ },
  headers: new Set(['x-grok-conv-id']),
  post: under('/v1', pick(endpoints, '/chat/completions', '/completions', '/responses', '/embeddings')),
});
