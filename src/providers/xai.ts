import { openaiEndpoints, tableProvider, pick, under } from './openai-style.ts';

/** Streams report usage in their last chunk by default. */
const endpoints = openaiEndpoints({ limitFields: ['max_tokens', 'max_completion_tokens'], asksUsage: false });

/** xAI. Images and deferred completions are not readable. */
export const xai = tableProvider({
  name: 'xai',
  defaultBaseUrl: 'https://api.x.ai',
  headers: new Set(['x-grok-conv-id']),
  post: under('/v1', pick(endpoints, '/chat/completions', '/completions', '/responses', '/embeddings')),
});
