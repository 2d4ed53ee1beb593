import type { Parsed } from '../../pipeline/exchange.ts';
import { requestUnits } from '../../pricing/input-bound.ts';
import type { InputBound } from '../../pricing/input-bound.ts';
import type { ModelPrice } from '../../pricing/price.ts';

/** The smallest output limit worth sending a request for (DECISIONS "Budgets and cost"). */
export const MIN_GRANT_TOKENS = 256;

/** What a request can cost at most, in the terms of a reservation. */
export interface Estimate {
  readonly inputNanoUsd: number;
  readonly outputNanoUsd: number;
  readonly outputTokens: number | undefined;
  readonly maxGrantTokens: number;
  readonly minGrantTokens: number;
}

export interface EstimateParts {
  readonly exchange: Parsed;
  readonly price: ModelPrice;
  readonly bound: InputBound;
  /** Calls of tools that the provider runs itself. */
  readonly toolsNanoUsd: number;
  /** `pricing.default_max_output_tokens`. */
  readonly defaultMaxOutputTokens: number;
}

/** The worst case: all input at the dearest rate that can apply to so much of it, all choices at their limit. */
export function estimate(parts: EstimateParts): Estimate {
  const { exchange, price, bound } = parts;
  const { request, endpoint } = exchange;
  const worst = price.worstRates(bound.textTokens + bound.audioTokens);
  const audioNanoUsd = price.worstInputAudioNanoUsd ?? worst.inputNanoUsd;
  const tokensNanoUsd = bound.textTokens * worst.inputNanoUsd + bound.audioTokens * audioNanoUsd;
  const maxGrantTokens = grantable(price, bound, parts.defaultMaxOutputTokens);
  return {
    inputNanoUsd:
      Math.ceil(tokensNanoUsd - 1e-6) +
      price.requestNanoUsd * requestUnits(endpoint.operation, request) +
      parts.toolsNanoUsd,
    outputNanoUsd: request.output === undefined ? 0 : worst.outputNanoUsd * Math.max(1, request.choices),
    outputTokens: request.output === undefined ? 0 : clientLimit(request.output.tokens),
    maxGrantTokens,
    minGrantTokens: Math.min(MIN_GRANT_TOKENS, maxGrantTokens),
  };
}

function clientLimit(tokens: number | undefined): number | undefined {
  return tokens === undefined ? undefined : Math.max(0, Math.ceil(tokens));
}

/** Providers refuse a limit over the model's own, and one that does not fit beside the input (a token: ~3 bytes). */
function grantable(price: ModelPrice, bound: InputBound, defaultMaxOutputTokens: number): number {
  const most = price.maxOutputTokens ?? defaultMaxOutputTokens;
  if (price.contextTokens === undefined) {
    return most;
  }
  const beside = price.contextTokens - Math.ceil(bound.textTokens / 3);
  return Math.min(most, Math.max(MIN_GRANT_TOKENS, beside));
}
