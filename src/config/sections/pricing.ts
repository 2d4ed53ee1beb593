import * as z from 'zod';
import type { ProviderName } from '../../providers/provider.ts';
import { count, positiveCount, section } from '../fields.ts';

/** In USD per million tokens. */
const perMillion = z.number().min(0).max(1_000_000);

const override = section({
  input: perMillion.optional(),
  cached_input: perMillion.optional(),
  cache_write: perMillion.optional(),
  output: perMillion.optional(),
  input_audio: perMillion.optional(),
  output_audio: perMillion.optional(),
  output_image: perMillion.optional(),
  output_video: perMillion.optional(),
  /** In USD per call. */
  request: z.number().min(0).max(10_000).optional(),
  max_output_tokens: positiveCount.optional(),
  context_tokens: positiveCount.optional(),
});

const perSecond = z.int().min(1).max(1_000_000);
const usual = perSecond.default(300);
const fast = perSecond.default(3_000);

/**
 * Upper bound of each provider's output speed, in tokens per second, with a margin. `fast` applies to fast hardware, to
 * routers that use it, and to self-hosted servers of unknown speed.
 */
const outputTokensPerSecond = section({
  openai: usual,
  anthropic: usual,
  // The smallest models reach 900 (artificialanalysis.ai).
  gemini: perSecond.default(1_000),
  bedrock: usual,
  azure: usual,
  mistral: usual,
  groq: fast,
  cohere: usual,
  deepseek: usual,
  together: fast,
  ollama: fast,
  fireworks: fast,
  xai: usual,
  vllm: fast,
  openrouter: fast,
} satisfies Record<ProviderName, z.ZodType>).prefault({});

/** Prices that override the built-in table, and defaults for unknown models (docs/pricing.md). */
export const pricing = section({
  default_max_output_tokens: positiveCount.default(8_192),
  default_context_tokens: positiveCount.default(200_000),
  /** Added to the observed tokens of an interrupted stream. */
  abort_slack_tokens: count.default(256),
  /** Used to charge an interrupted answer whose reasoning was hidden, by its duration. */
  output_tokens_per_second: outputTokensPerSecond,
  /** Lowers a client's output limit to what its budget allows; false refuses the request instead. */
  lower_client_limits: z.boolean().default(true),
  /** Unset: `deny` for keys with a budget, free for others. */
  unknown_model: z
    .union([z.enum(['deny', 'free']), section({ input: perMillion, output: perMillion })], {
      error: 'must be deny, free, or {input, output} in USD per million tokens',
    })
    .optional(),
  /** Maps `provider/model`, or a model alone, to its price. */
  overrides: z.record(z.string().min(1), override).default({}),
  /** Maps types of provider-run tools to USD per call. */
  tools: z.record(z.string().min(1), z.number().min(0).max(10_000)).default({}),
}).prefault({});
