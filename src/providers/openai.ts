import { openaiEndpoints, openaiStyle, pick, under } from './openai-style.ts';

const endpoints = openaiEndpoints({
  limitFields: ['max_completion_tokens', 'max_tokens'],
  asksUsage: true,
  completionsDefault: 16,
});

/** OpenAI. Images, audio, batches, files, assistants and realtime are not readable. */
export const openai = openaiStyle({
  name: 'openai',
  defaultBaseUrl: 'https://api.openai.com',
  post: under(
    '/v1',
    pick(
      endpoints,
      '/chat/completions',
      '/completions',
      '/responses',
      '/responses/compact',
      '/responses/input_tokens',
      '/embeddings',
      '/moderations',
    ),
  ),
});
