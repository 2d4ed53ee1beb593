import type { Parsed, Answered } from '../../pipeline/exchange.ts';
import { requestUnits, type InputBound } from '../../pricing/input-bound.ts';
import type { ModelPrice } from '../../pricing/price.ts';
import type { OutputLimit, OutputModality, RequestFacts } from '../../providers/request-facts.ts';
import type { BudgetOperation, Reservation } from './store.ts';
import { naturalOutputs } from '../../pricing/known-models.ts';
import type { ErrorAnswer, ProviderPricing } from '../../providers/descriptor.ts';

/** Minimum output limit to grant (docs/budgets.md). */
const MIN_GRANT_TOKENS = 256;

/** Lowest value to which a client's limit is reduced, to keep answers useful (docs/budgets.md). */
const LOWEST_TOKENS = 1_024;

/** Exceeds what any model writes or any provider accepts. Keeps amounts exact despite absurd limits. */
const MAX_OUTPUT_TOKENS = 10_000_000;
/** Limit for all choices together. A batch may contain choices for thousands of prompts. */
const MAX_TOKENS_OF_ALL_CHOICES = 1_000 * MAX_OUTPUT_TOKENS;

/** Exceeds the largest image (6,240 tokens; platform.openai.com, image generation). Limits do not shorten images. */
const WHOLE_IMAGE_TOKENS = 8_192;

export type Estimate = Omit<Reservation, keyof BudgetOperation>;

export interface EstimateParts {
  readonly exchange: Parsed;
  readonly price: ModelPrice;
  readonly bound: InputBound;
  readonly toolsNanoUsd: number;
  readonly defaultMaxOutputTokens: number;
  readonly mayLowerLimit: boolean;
  /** Output limit that other targets find in the request; applies if this target ignores the member. */
  readonly readElsewhere?: number | undefined;
}

/** Returns the worst-case cost: all input at the highest rate for its size, all choices at their limit. */
export function estimate(parts: EstimateParts): Estimate {
  const { exchange, price, bound } = parts;
  const { request, endpoint } = exchange;
  const worst = price.worstRates(bound.textTokens + bound.audioTokens);
  const soundNanoUsd = Math.max(worst.inputNanoUsd, price.worstInputAudioNanoUsd ?? 0);
  // Unreadable content may be audio.
  const textNanoUsd = request.unseenContent ? soundNanoUsd : worst.inputNanoUsd;
  const tokensNanoUsd = bound.textTokens * textNanoUsd + bound.audioTokens * soundNanoUsd;
  const wholeTokens = writesMore(request, price) ? WHOLE_IMAGE_TOKENS : 0;
  const maxGrantTokens = Math.max(grantable(price, bound, parts.defaultMaxOutputTokens), wholeTokens);
  const limitTokens = limitOf(request, price, parts.readElsewhere);
  const mostChoices = Math.floor(MAX_TOKENS_OF_ALL_CHOICES / Math.max(1, limitTokens ?? maxGrantTokens));
  const predictedNanoUsd = (request.predictedTokens ?? 0) * worst.outputNanoUsd;
  const inputNanoUsd =
    Math.ceil(tokensNanoUsd + predictedNanoUsd - 1e-6) +
    price.requestNanoUsd * requestUnits(endpoint.operation, request) +
    parts.toolsNanoUsd;
  return {
    inputNanoUsd: Math.max(inputNanoUsd, refusalFeeNanoUsd(exchange)),
    outputNanoUsd:
      request.output === undefined ? 0 : worst.outputNanoUsd * clamped(request.choices, 1, mostChoices),
    outputTokens: limitTokens,
    maxGrantTokens,
    minGrantTokens: Math.min(Math.max(MIN_GRANT_TOKENS, wholeTokens), maxGrantTokens),
    lowestTokens: parts.mayLowerLimit && limitTokens !== undefined ? lowestOf(request, price) : undefined,
  };
}

/** Returns the lowest limit with room for more than thinking, or undefined if limits do not bound the cost. */
function lowestOf(request: RequestFacts, price: ModelPrice): number | undefined {
  if (request.output === undefined || writesMore(request, price)) return undefined;
  return Math.max(LOWEST_TOKENS, (request.thinkingTokens ?? 0) + 1);
}

function writesMore(request: RequestFacts, price: ModelPrice): boolean {
  return outputsOf(request, price).some((output) => output !== 'audio');
}

/** Returns the client's effective limit: 0 if nothing is generated, undefined if the gateway must grant a limit. */
export function limitOf(
  request: RequestFacts,
  price: ModelPrice,
  readElsewhere?: number,
): number | undefined {
  const tokens = outputTokens(request.output) ?? readElsewhere;
  return tokens !== undefined && writesMore(request, price) ? Math.max(tokens, WHOLE_IMAGE_TOKENS) : tokens;
}

export function outputTokens(output: OutputLimit | undefined): number | undefined {
  if (output === undefined) return 0;
  return output.tokens === undefined ? undefined : clamped(Math.ceil(output.tokens), 0, MAX_OUTPUT_TOKENS);
}

function clamped(count: number, least: number, most: number): number {
  return count >= least ? Math.min(count, most) : least;
}

/** Providers refuse limits above the model's maximum or beyond its context (input: about 3 bytes per token). */
function grantable(price: ModelPrice, bound: InputBound, defaultMaxOutputTokens: number): number {
  const most = price.maxOutputTokens ?? defaultMaxOutputTokens;
  if (price.contextTokens === undefined) return most;
  const room = price.contextTokens - Math.ceil(bound.textTokens / 3);
  return Math.min(most, Math.max(MIN_GRANT_TOKENS, room));
}

/** Returns the non-text output modalities: those requested, and those that the models write by default. */
export function outputsOf(
  request: RequestFacts,
  { models }: Pick<ModelPrice, 'models'>,
): readonly OutputModality[] {
  // Embeddings, reranking and similar operations generate nothing.
  return request.output === undefined ? [] : [...(request.outputs ?? []), ...models.flatMap(naturalOutputs)];
}

/** Bytes of error text to inspect. Providers explain a refusal in its first lines. */
const MAX_READ_BYTES = 16_384;

/** Reports whether the provider bills this error, or may bill it if its body was not seen. */
export function isBilledError({ provider, endpoint, status, answer }: Answered): boolean {
  const { billsError }: ProviderPricing = provider.pricing;
  const error: ErrorAnswer = {
    operation: endpoint.operation,
    status,
    text: answer.whole?.body.toString('utf8', 0, MAX_READ_BYTES),
  };
  return billsError?.(error) === true;
}

/** Returns the provider's minimum fee, in nano-USD, for a request refused under its guidelines. */
export function refusalFeeNanoUsd({ provider, endpoint }: Pick<Parsed, 'provider' | 'endpoint'>): number {
  const { refusalFees = {} }: ProviderPricing = provider.pricing;
  return refusalFees[endpoint.operation] ?? 0;
}
