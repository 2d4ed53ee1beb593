import { openaiEndpoints, tableProvider, pick, under } from './openai-style.ts';

/** The last chunk always reports usage in `x_groq`. The flex tier costs the same. */
const endpoints = openaiEndpoints({
  limitFields: ['max_completion_tokens', 'max_tokens'],
  asksUsage: false,
  standardTiers: ['on_demand', 'flex'],
  pinnedTier: { chat: 'on_demand', responses: 'default' },
});

/** Audio and batches are not supported. */
export const groq = tableProvider({
  name: 'groq',
  defaultBaseUrl: 'https://api.groq.com/openai',
  basePaths: { openai: '/v1' },
  errorShape: 'openai',
  exec: { keys: ['GROQ_API_KEY'], addresses: { GROQ_BASE_URL: '', GROQ_API_BASE: '/v1' } },
  pricing: { outputTokensPerSecond: 3_000, searchUsd: 0.01 },
  post: under('/v1', pick(endpoints, '/chat/completions', '/responses', '/embeddings')),
});
