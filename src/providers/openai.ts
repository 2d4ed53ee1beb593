import { type ObjectNames, type PriceMultiples, type ProviderPricing, tilesOf } from './descriptor.ts';
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

const PRIORITY: PriceMultiples = [
  [/gpt-(?:5\.[5-9]|[6-9])/, 2.5],
  [/gpt-4o|gpt-4\.1(?!-nano)|(?:^|\/)o3/, 1.75],
  [/^/, 2],
];

/** Tiers: openai.com/api-priority-processing. Images: tiles of 512 px or patches of 32 px (platform.openai.com). */
export const OPENAI_PRICING = {
  countsAsOpenai: true,
  imageTokens(width, height) {
    return Math.max(85 + 170 * tilesOf(width, height, 512), Math.ceil(2.5 * tilesOf(width, height, 32)));
  },
  tiers: { priority: PRIORITY },
} as const satisfies Partial<ProviderPricing>;

/**
 * Models released since March 5, 2026, cost 10% more at regional URLs (developers.openai.com). Unknown models count as
 * new.
 */
const REGIONAL: PriceMultiples = [
  [/^(?:ft:)?(?:gpt-(?:3|4|oss|audio|realtime)|gpt-5(?!\.[4-9]|\.\d\d)|o[134](?:-|$)|chatgpt|codex-mini)/, 1],
  [/^(?:text-|omni-|davinci|babbage|computer-use)/, 1],
  [/^/, 1.1],
];

/** `ids` covers agent sessions; `within` covers lists in conversations, threads, runs and evals. */
export const OPENAI_OBJECTS = {
  ids: new Set(['session_id']),
  within: new Set(['items', 'messages', 'steps', 'output_items']),
} as const satisfies ObjectNames;

/** Images, audio, batches, files, assistants and realtime are not supported. */
export const openai = tableProvider({
  name: 'openai',
  defaultBaseUrl: 'https://api.openai.com',
  basePaths: { openai: '/v1' },
  errorShape: 'openai',
  exec: { keys: ['OPENAI_API_KEY'], model: 'gpt-4o' },
  pricing: {
    ...OPENAI_PRICING,
    outputTokensPerSecond: 300,
    searchUsd: 0.025,
    regional: { host: /^[a-z]+\.api\.openai\.com$/, times: REGIONAL },
  },
  objects: OPENAI_OBJECTS,
  headers: new Set(['openai-organization', 'openai-project', 'openai-beta', 'x-client-request-id']),
  accountHeaders: new Set(['openai-organization', 'openai-project']),
  post: under('/v1', pick(endpoints, ...MODEL_PATHS, '/moderations')),
});
