import { mistralCut } from './dialects/error-frames.ts';
import { openaiEndpoints, tableProvider, pick, under } from './openai-style.ts';

/** Mistral rejects unknown members, including `stream_options`. Its streams report usage by default. */
const endpoints = openaiEndpoints({
  limitFields: ['max_tokens'],
  asksUsage: false,
  standardTiers: ['standard_only'],
  cut: mistralCut,
  // Mistral's JavaScript SDK up to 1.3 misses `[DONE]` if a comment arrives in the same chunk.
  acceptsComments: false,
});

/** Agents, conversations, OCR and audio are not supported. */
export const mistral = tableProvider({
  name: 'mistral',
  defaultBaseUrl: 'https://api.mistral.ai',
  basePaths: { openai: '/v1' },
  errorShape: 'mistral',
  exec: {
    keys: ['MISTRAL_API_KEY'],
    addresses: { MISTRAL_API_BASE: '/v1' },
    model: 'mistral-large-latest',
  },
  pricing: { outputTokensPerSecond: 300, searchUsd: 0.03, maxImageTokens: 4_400 },
  traces: { aliases: ['mistral_ai', 'mistralai'], models: /^(?:mistral|codestral|ministral)-/ },
  post: under('/v1', {
    ...pick(endpoints, '/chat/completions', '/embeddings', '/moderations'),
    '/fim/completions': endpoints['/completions'],
    '/chat/moderations': endpoints['/moderations'],
  }),
});
