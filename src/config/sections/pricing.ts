import * as z from 'zod';
import type { ProviderName } from '../../providers/provider.ts';
import { count, positiveCount, section } from '../fields.ts';

/** USD per million tokens. */
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
  /** USD per call. */
  request: z.number().min(0).max(10_000).optional(),
  max_output_tokens: positiveCount.optional(),
  context_tokens: positiveCount.optional(),
});

const perSecond = z.int().min(1).max(1_000_000);
const usual = perSecond.default(300);
const fast = perSecond.default(3_000);

/**
 * The most that one answer of each provider is written at, in tokens per second, with room. `fast`: hosts of fast
 * hardware, a router to them, and servers of one's own, of which nothing is known.
 */
const outputTokensPerSecond = section({
  openai: usual,
  anthropic: usual,
  // Its smallest models were measured at 900 (artificialanalysis.ai).
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

/** Prices that differ from the built-in table, and what stands in where nothing is known (docs/pricing.md). */
export const pricing = section({
  default_max_output_tokens: positiveCount.default(8_192),
  default_context_tokens: positiveCount.default(200_000),
  /** Added to what was seen of a stream that broke off. */
  abort_slack_tokens: count.default(256),
  /** Charged for the time of an answer that broke off and hid its reasoning. */
  output_tokens_per_second: outputTokensPerSecond,
  /** A client's own output limit is lowered to what its budget has left; false refuses the request. */
  lower_client_limits: z.boolean().default(true),
  /** Unset: `deny` for a key with a budget, else free. */
  unknown_model: z
    .union([z.enum(['deny', 'free']), section({ input: perMillion, output: perMillion })], {
      error: 'must be deny, free, or {input, output} in USD per million tokens',
    })
    .optional(),
  /** `provider/model` or model -> price. */
  overrides: z.record(z.string().min(1), override).default({}),
  /** Provider-run tool type -> USD per call. */
  tools: z.record(z.string().min(1), z.number().min(0).max(10_000)).default({}),
}).prefault({});
