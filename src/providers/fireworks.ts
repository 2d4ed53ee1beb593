import { openaiEndpoints, tableProvider, pick, under } from './openai-style.ts';

/** Streams report usage in their last chunk by default. */
const endpoints = openaiEndpoints({ limitFields: ['max_tokens'], asksUsage: false });

/** Images, audio and deployments are not supported. */
export const fireworks = tableProvider({
  name: 'fireworks',
  defaultBaseUrl: 'https://api.fireworks.ai/inference',
  basePaths: { openai: '/v1' },
  errorShape: 'openai',
  exec: {
    keys: ['FIREWORKS_API_KEY', 'FIREWORKS_AI_API_KEY'],
    addresses: { FIREWORKS_BASE_URL: '/v1', FIREWORKS_API_BASE: '/v1' },
  },
  pricing: {
    outputTokensPerSecond: 3_000,
    tableNames: (model) => [model, `accounts/fireworks/models/${model}`],
  },
  traces: { aliases: ['fireworks_ai'] },
  headers: new Set(['x-session-affinity']),
  post: under(
    '/v1',
    pick(endpoints, '/chat/completions', '/completions', '/responses', '/embeddings', '/rerank'),
  ),
});
