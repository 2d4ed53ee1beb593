import { openaiEndpoints, tableProvider, pick, under } from './openai-style.ts';

/** Streams report usage in their last chunk by default. */
const endpoints = openaiEndpoints({ limitFields: ['max_tokens'], asksUsage: false });

/** Together AI. Images, audio and fine-tuning are not readable. */
export const together = tableProvider({
  name: 'together',
  defaultBaseUrl: 'https://api.together.xyz',
  post: under('/v1', pick(endpoints, '/chat/completions', '/completions', '/embeddings', '/rerank')),
});
