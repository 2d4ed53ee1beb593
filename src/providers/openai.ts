import type { OpenaiVariant } from './dialects/openai-request.ts';
import { openaiEndpoints, tableProvider, pick, under } from './openai-style.ts';

const VARIANT: OpenaiVariant = {
  limitFields: ['max_completion_tokens', 'max_tokens'],
  asksUsage: true,
  completionsDefault: 16,
};

/** OpenAI endpoints without a pinned tier, because older Azure versions reject `service_tier`. */
export const openaiOwn = openaiEndpoints(VARIANT);

/** Without a tier, OpenAI applies the project's setting. */
const endpoints = openaiEndpoints({ ...VARIANT, pinnedTier: { chat: 'default', responses: 'default' } });

/** Generation and embedding paths, shared with Azure. */
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
  headers: new Set(['openai-organization', 'openai-project', 'openai-beta', 'x-client-request-id']),
  post: under('/v1', pick(endpoints, ...MODEL_PATHS, '/moderations')),
});
