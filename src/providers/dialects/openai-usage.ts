import type { Usage } from '../dialect.ts';
import { objectOf, plainUsage, tokenCount } from './fields.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';

/**
 * Normalizes usage with the names of chat (`prompt_tokens`, `completion_tokens`) or responses (`input_tokens`,
 * `output_tokens`). The prompt includes cached tokens. Some providers (xAI, Gemini's compatible endpoint) count
 * reasoning only in `total_tokens`, so everything in the total except the prompt is output.
 */
export function readOpenaiUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const written = plainUsage(
    value.prompt_tokens ?? value.input_tokens,
    value.completion_tokens ?? value.output_tokens,
  );
  if (written === undefined) return undefined;
  const { inputTokens } = written;
  const outputTokens = Math.max(written.outputTokens, (tokenCount(value.total_tokens) ?? 0) - inputTokens);
  const input = objectOf(value.prompt_tokens_details ?? value.input_tokens_details);
  const output = objectOf(value.completion_tokens_details ?? value.output_tokens_details);
  return {
    inputTokens,
    outputTokens,
    ...part('cacheReadTokens', cachedTokens(value, input), inputTokens),
    ...part('cacheWriteTokens', input.cache_write_tokens, inputTokens),
    ...part('reasoningTokens', output.reasoning_tokens, outputTokens),
    ...partOrZero('inputAudioTokens', input.audio_tokens, inputTokens),
    ...partOrZero('outputAudioTokens', output.audio_tokens, outputTokens),
  };
}

function cachedTokens(usage: JsonObject, details: JsonObject): unknown {
  return details.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.num_cached_tokens;
}

function part(name: keyof Usage, value: unknown, whole: number): Partial<Usage> {
  return value === 0 ? {} : partOrZero(name, value, whole);
}

/** Keeps 0, because no audio differs from an unknown amount. */
function partOrZero(name: keyof Usage, value: unknown, whole: number): Partial<Usage> {
  const count = tokenCount(value);
  return count === undefined ? {} : { [name]: Math.min(count, whole) };
}

/** Reads usage of endpoints without output. Some of them report the input only as a total. */
export function readInputUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  return plainUsage(usage.prompt_tokens ?? usage.input_tokens ?? usage.total_tokens, 0);
}
