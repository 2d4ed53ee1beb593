import { openaiEndpoints, tableProvider, pick, under } from './openai-style.ts';

/** Streams report usage in their last chunk by default. */
const endpoints = openaiEndpoints({ limitFields: ['max_tokens'], asksUsage: false });

/** Images, audio and fine-tuning are not supported. */
export const together = tableProvider({
  name: 'together',
  defaultBaseUrl: 'https://api.together.xyz',
  basePaths: { openai: '/v1' },
  errorShape: 'openai',
  exec: { keys: ['TOGETHER_API_KEY', 'TOGETHERAI_API_KEY'], addresses: { TOGETHER_BASE_URL: '/v1' } },
  pricing: { outputTokensPerSecond: 3_000 },
  traces: { aliases: ['together_ai'] },
  // The code interpreter resumes the variables and files of a session.
  objects: { ids: new Set(['session_id']) },
  post: under('/v1', pick(endpoints, '/chat/completions', '/completions', '/embeddings', '/rerank')),
});
