import { openaiEndpoints, tableProvider, pick, under } from './openai-style.ts';

/** The last chunk always reports usage in `x_groq`. The flex tier costs the same. */
const endpoints = openaiEndpoints({
  limitFields: ['max_completion_tokens', 'max_tokens'],
  asksUsage: false,
  standardTiers: ['on_demand', 'flex'],
  pinnedTier: { chat: 'on_demand', responses: 'default' },
});

/** Groq. Audio and batches are not readable. */
export const groq = tableProvider({
  name: 'groq',
  defaultBaseUrl: 'https://api.groq.com/openai',
  post: under('/v1', pick(endpoints, '/chat/completions', '/responses', '/embeddings')),
});
