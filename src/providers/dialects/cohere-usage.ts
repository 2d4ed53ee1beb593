import type { JsonObject, Usage } from '../dialect.ts';
import { objectOf, tokenCount } from './fields.ts';
import { isObject } from '../../json/is-object.ts';

/**
 * Reads v2 `usage` or v1 `meta`. `billed_units` is what Cohere charges. `tokens` also counts text that Cohere adds to
 * the prompt, so it is used only without `billed_units`.
 */
export function readCohereUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  const { billed_units: billed, tokens } = usage;
  if (isObject(billed)) return readUnits(billed);
  return isObject(tokens) ? readUnits(tokens) : undefined;
}

function readUnits(units: JsonObject): Usage | undefined {
  const inputTokens = tokensIn(units.input_tokens);
  const imageTokens = tokensIn(units.image_tokens);
  const outputTokens = tokensIn(units.output_tokens);
  const searchUnits = tokensIn(units.search_units);
  if (inputTokens === undefined || imageTokens === undefined) return undefined;
  if (outputTokens === undefined || searchUnits === undefined) return undefined;
  if (
    units.input_tokens === undefined &&
    units.search_units === undefined &&
    units.image_tokens === undefined
  ) {
    return undefined;
  }
  return {
    inputTokens: inputTokens + imageTokens,
    outputTokens,
    ...(searchUnits > 0 ? { searchUnits } : {}),
  };
}

/** Reads a count that defaults to 0. Returns undefined if it is invalid. */
function tokensIn(value: unknown): number | undefined {
  return value === undefined || value === null ? 0 : tokenCount(value);
}
