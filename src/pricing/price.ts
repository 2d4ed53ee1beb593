import type { Usage } from '../providers/dialect.ts';
import type { OutputModality } from '../providers/request-facts.ts';
import type { ProviderName } from '../providers/registry.ts';

export interface ModelPrice {
  /** The priced models; for a deployment, its model instead of its name. */
  readonly models: readonly string[];
  /** Highest possible rate of one input token, in nano-USD (cache write, highest tier, most expensive hour). */
  readonly worstInputNanoUsd: number;
  readonly worstOutputNanoUsd: number;
  /** Highest rate of one audio input token; undefined if the model has no audio price. */
  readonly worstInputAudioNanoUsd: number | undefined;
  readonly pricedOutputs: ReadonlySet<OutputModality>;
  /** Base text rates; undefined if any of the models has no price and is free for that reason. */
  readonly listed: { readonly inputNanoUsd: number; readonly outputNanoUsd: number } | undefined;
  /** Flat price of one call, in nano-USD (rerank, search). */
  readonly requestNanoUsd: number;
  readonly maxOutputTokens: number | undefined;
  readonly contextTokens: number | undefined;
  /** Returns the highest rates for a call with up to this many input tokens (tiers start above an input size). */
  worstRates(maxInputTokens: number): { readonly inputNanoUsd: number; readonly outputNanoUsd: number };
  /** Returns the cost of usage at a given time, rounded up to whole nano-USD. */
  cost(usage: Usage, at: Date): number;
}

export interface Pricing {
  /** Returns undefined if no price is known. Tries aliases, dated names and prefixes. */
  find(provider: ProviderName, model: string): ModelPrice | undefined;
  /** Same as `find`, for a model named in an answer, which is never a deployment. */
  findReported(provider: ProviderName, model: string): ModelPrice | undefined;
}
