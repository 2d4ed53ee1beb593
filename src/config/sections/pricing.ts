import * as z from 'zod';
import { fromProviders } from '../../providers/registry.ts';
import { count, positiveCount, section } from '../fields.ts';

/** USD per million tokens. */
const perMillion = z.number().min(0).max(1_000_000);

const override = section({
  input: perMillion.optional().describe('USD per million input tokens.'),
  cached_input: perMillion.optional().describe('USD per million input tokens read from a cache.'),
  cache_write: perMillion.optional().describe('USD per million input tokens written to a cache.'),
  output: perMillion.optional().describe('USD per million output tokens.'),
  input_audio: perMillion.optional().describe('USD per million audio input tokens.'),
  output_audio: perMillion.optional().describe('USD per million audio output tokens.'),
  output_image: perMillion.optional().describe('USD per million image output tokens.'),
  output_video: perMillion.optional().describe('USD per million video output tokens.'),
  request: z.number().min(0).max(10_000).optional().describe('USD per call.'),
  max_output_tokens: positiveCount.optional().describe('Maximum output tokens of an answer.'),
  context_tokens: positiveCount.optional().describe('Size of the context window in tokens.'),
});

const SPEED = 'Output tokens per second.';
const perSecond = z.int().min(1).max(1_000_000);
const outputTokensPerSecond = section(
  fromProviders((provider) => perSecond.default(provider.pricing.outputTokensPerSecond).describe(SPEED)),
).prefault({});

export const pricing = section({
  default_max_output_tokens: positiveCount
    .default(8_192)
    .describe('Output tokens to reserve if neither the model nor the request has a known limit.'),
  default_context_tokens: positiveCount
    .default(200_000)
    .describe('Context window, in tokens, of models whose window is unknown.'),
  abort_slack_tokens: count
    .default(256)
    .describe('Output tokens to charge in addition to those seen when a stream breaks.'),
  output_tokens_per_second: outputTokensPerSecond.describe(
    'Upper bound of output speed by provider, in tokens per second. Used to price an answer that was cut off after hidden reasoning.',
  ),
  lower_client_limits: z
    .boolean()
    .default(true)
    .describe("Lower a client's output limit to what its budget allows. False: refuse the request instead."),
  unknown_model: z
    .union([z.enum(['deny', 'free']), section({ input: perMillion, output: perMillion })], {
      error: 'must be deny, free, or {input, output} in USD per million tokens',
    })
    .optional()
    .describe(
      'Requests for a model without a known price: `deny`, `free`, or a price. Default: `deny` for a key with a budget, otherwise `free`.',
    ),
  overrides: z
    .record(z.string().min(1), override)
    .default({})
    .describe('Prices that replace the built-in ones, by `provider/model` or model.'),
  tools: z
    .record(z.string().min(1), z.number().min(0).max(10_000))
    .default({})
    .describe('USD per call of provider-run tools, by tool type.'),
})
  .prefault({})
  .describe('Prices that override the built-in table, and defaults for unknown models. See docs/pricing.md.');
