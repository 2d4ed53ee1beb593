import type { Parsed } from '../../pipeline/exchange.ts';
import { requestUnits, type InputBound } from '../../pricing/input-bound.ts';
import type { ModelPrice } from '../../pricing/price.ts';
import type { OutputLimit, RequestFacts, OutputModality } from '../../providers/provider.ts';
import type { BudgetOperation, Reservation } from './store.ts';
import { naturalOutputs } from '../../pricing/natural-outputs.ts';

/** The smallest output limit worth sending a request for (docs/budgets.md). */
const MIN_GRANT_TOKENS = 256;

/**
 * A client's own limit is not lowered further: an agent's answer would be cut off in its first words
 * (docs/budgets.md#output-limits).
 */
const LOWEST_TOKENS = 1_024;

/** More than any model writes or any provider takes; absurd numbers of a client's may not leave the money's range. */
const MAX_OUTPUT_TOKENS = 10_000_000;
/** All choices together; a batch has its choices for each of its prompts, of which there may be thousands. */
const MAX_TOKENS_OF_ALL_CHOICES = 1_000 * MAX_OUTPUT_TOKENS;

/** The largest published picture (platform.openai.com, image generation: 6,240): it comes whole, whatever the limit. */
const WHOLE_PICTURE_TOKENS = 8_192;

/** What a request can cost at most, in the terms of a reservation. */
export type Estimate = Omit<Reservation, keyof BudgetOperation>;

export interface EstimateParts {
  readonly exchange: Parsed;
  readonly price: ModelPrice;
  readonly bound: InputBound;
  /** Calls of tools that the provider runs itself. */
  readonly toolsNanoUsd: number;
  /** `pricing.default_max_output_tokens`. */
  readonly defaultMaxOutputTokens: number;
  /** The client's own limit may give way to what is left. */
  readonly mayLowerLimit: boolean;
}

/** The worst case: all input at the dearest rate that can apply to so much of it, all choices at their limit. */
export function estimate(parts: EstimateParts): Estimate {
  const { exchange, price, bound } = parts;
  const { request, endpoint } = exchange;
  const worst = price.worstRates(bound.textTokens + bound.audioTokens);
  const soundNanoUsd = Math.max(worst.inputNanoUsd, price.worstInputAudioNanoUsd ?? 0);
  // What nobody sees may be sound.
  const textNanoUsd = request.unseenContent ? soundNanoUsd : worst.inputNanoUsd;
  const tokensNanoUsd = bound.textTokens * textNanoUsd + bound.audioTokens * soundNanoUsd;
  const maxGrantTokens = grantable(price, bound, parts.defaultMaxOutputTokens);
  const limitTokens = limitOf(request, price);
  const mostChoices = Math.floor(MAX_TOKENS_OF_ALL_CHOICES / Math.max(1, limitTokens ?? maxGrantTokens));
  const predictedNanoUsd = (request.predictedTokens ?? 0) * worst.outputNanoUsd;
  return {
    inputNanoUsd:
      Math.ceil(tokensNanoUsd + predictedNanoUsd - 1e-6) +
      price.requestNanoUsd * requestUnits(endpoint.operation, request) +
      parts.toolsNanoUsd,
    outputNanoUsd:
      request.output === undefined ? 0 : worst.outputNanoUsd * clamped(request.choices, 1, mostChoices),
    outputTokens: limitTokens,
    maxGrantTokens,
    minGrantTokens: Math.min(MIN_GRANT_TOKENS, maxGrantTokens),
    lowestTokens: parts.mayLowerLimit ? lowestOf(request, price) : undefined,
  };
}

/**
 * Providers refuse a limit that leaves nothing beside the tokens for thinking. Undefined where a lower limit would not
 * bound the cost: a picture comes whole.
 */
function lowestOf(request: RequestFacts, price: ModelPrice): number | undefined {
  if (request.output?.tokens === undefined || writesMore(request, price)) return undefined;
  return Math.max(LOWEST_TOKENS, (request.thinkingTokens ?? 0) + 1);
}

function writesMore(request: RequestFacts, price: ModelPrice): boolean {
  return outputsOf(request, price).some((output) => output !== 'audio');
}

/** The client's own limit as it counts; 0 where nothing is generated, undefined where one is to be granted. */
export function limitOf(request: RequestFacts, price: ModelPrice): number | undefined {
  const tokens = outputTokens(request.output);
  return tokens !== undefined && writesMore(request, price) ? Math.max(tokens, WHOLE_PICTURE_TOKENS) : tokens;
}

function outputTokens(output: OutputLimit | undefined): number | undefined {
  if (output === undefined) {
    return 0;
  }
  return output.tokens === undefined ? undefined : clamped(Math.ceil(output.tokens), 0, MAX_OUTPUT_TOKENS);
}

function clamped(count: number, least: number, most: number): number {
  return count >= least ? Math.min(count, most) : least;
}

/** Providers refuse a limit over the model's own, and one that does not fit beside the input (a token: ~3 bytes). */
function grantable(price: ModelPrice, bound: InputBound, defaultMaxOutputTokens: number): number {
  const most = price.maxOutputTokens ?? defaultMaxOutputTokens;
  if (price.contextTokens === undefined) {
    return most;
  }
  const room = price.contextTokens - Math.ceil(bound.textTokens / 3);
  return Math.min(most, Math.max(MIN_GRANT_TOKENS, room));
}

/** What beside text may be written: as asked for, and as the models do by themselves. */
export function outputsOf(
  request: RequestFacts,
  { models }: Pick<ModelPrice, 'models'>,
): readonly OutputModality[] {
  // Embeddings, reranking and the like write nothing.
  return request.output === undefined ? [] : [...(request.outputs ?? []), ...models.flatMap(naturalOutputs)];
}
