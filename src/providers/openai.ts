import { openaiEndpoints, tableProvider, pick, under } from './openai-style.ts';

/** As OpenAI itself reads its API. */
export const openaiOwn = openaiEndpoints({
  limitFields: ['max_completion_tokens', 'max_tokens'],
  asksUsage: true,
  completionsDefault: 16,
});

/** Paths that generate or embed, which Azure has too. */
export const MODEL_PATHS = [
  '/chat/completions',
  '/completions',
  '/responses',
  '/responses/compact',
  '/responses/input_tokens',
  '/embeddings',
] as const;

/** OpenAI. Images, audio, batches, files, assistants and realtime are not readable. */
export const openai = tableProvider({
  name: 'openai',
  defaultBaseUrl: 'https://api.openai.com',
  post: under('/v1', pick(openaiOwn, ...MODEL_PATHS, '/moderations')),
});
