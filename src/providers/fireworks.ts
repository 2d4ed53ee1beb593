import { openaiEndpoints, tableProvider, pick, under } from './openai-style.ts';

/** Streams report usage in their last chunk by default. */
const endpoints = openaiEndpoints({ limitFields: ['max_tokens'], asksUsage: false });

/** Fireworks AI. Images, audio and deployments are not readable. */
export const fireworks = tableProvider({
  name: 'fireworks',
  defaultBaseUrl: 'https://api.fireworks.ai/inference',
  headers: new Set(['x-session-affinity']),
  post: under(
    '/v1',
    pick(endpoints, '/chat/completions', '/completions', '/responses', '/embeddings', '/rerank'),
  ),
});
