import type { OutputModality, ProviderName, Usage } from '../providers/provider.ts';

/** What is known of one model's price; resolved once per provider and model, then cached. */
export interface ModelPrice {
  /** The models whose price it is: what a deployment stands for, not its name. */
  readonly models: readonly string[];
  /** Dearest rate that can apply to one input token, in nano-USD (cache write, highest tier, dearest hour). */
  readonly worstInputNanoUsd: number;
  /** Dearest rate of one output token, in nano-USD. */
  readonly worstOutputNanoUsd: number;
  /** Dearest rate of one audio input token; undefined where the model has no audio price. */
  readonly worstInputAudioNanoUsd: number | undefined;
  /** What beside text it has an output price for. */
  readonly pricedOutputs: ReadonlySet<OutputModality>;
  /** The rates that a host of the model lists for text, above no tier; undefined where nothing was listed. */
  readonly listed: { readonly inputNanoUsd: number; readonly outputNanoUsd: number } | undefined;
  /** Flat price of one call, in nano-USD (rerank, search). */
  readonly requestNanoUsd: number;
  readonly maxOutputTokens: number | undefined;
  readonly contextTokens: number | undefined;
  /** The dearest rates that can apply to a call of at most so many input tokens (tiers begin above a size). */
  worstRates(maxInputTokens: number): { readonly inputNanoUsd: number; readonly outputNanoUsd: number };
  /** Real cost of a usage at a time, in whole nano-USD, rounded up. */
  cost(usage: Usage, at: Date): number;
}

export interface Pricing {
  /** Undefined where no price is known for the model (aliases, dated names and prefixes are tried). */
  find(provider: ProviderName, model: string): ModelPrice | undefined;
  /** The same for a model that an answer names, which is never a deployment's name. */
  findTold(provider: ProviderName, model: string): ModelPrice | undefined;
}
