import type { Operation } from '../providers/dialect.ts';
import type { RequestFacts } from '../providers/request-facts.ts';
import type { ProviderName } from '../providers/registry.ts';
import { createTokenCounter, extraTokens } from './count.ts';
import { mediaBound } from './media-bound.ts';

export interface InputBound {
  readonly textTokens: number;
  /** Input that is or may contain audio, priced at the higher of the audio and text prices. */
  readonly audioTokens: number;
}

export interface InputSource {
  readonly provider: ProviderName;
  readonly request: RequestFacts;
  /** Models that determine the price, if the request names others (deployments). */
  readonly pricedModels: readonly string[];
  readonly bodyBytes: number;
  /** Context window of the model, or `pricing.default_context_tokens`. */
  readonly contextTokens: number;
}

/** Upper bound of the tokens that a provider's template adds to any prompt. */
const PROMPT_OVERHEAD_TOKENS = 64;
/**
 * Upper bound of the tokens added around tools. The largest published overhead, Claude's tool-use system prompts, is
 * smaller.
 */
const TOOLS_OVERHEAD_TOKENS = 1_024;
const MESSAGE_OVERHEAD_TOKENS = 8;

/**
 * Returns an upper bound without counting tokens. A byte is at most one token, JSON never encodes text in fewer bytes
 * than UTF-8, and its punctuation covers the template. Base64 media are excluded, and bounded by kind.
 */
export function byteBound(source: InputSource): InputBound {
  const { request, bodyBytes } = source;
  return bounded(source, Math.max(0, bodyBytes - mediaChars(request)));
}

/** Returns a tighter bound: the tokens of all texts, and half a token per byte of the remaining body. */
export function countedBound(source: InputSource): InputBound {
  const { request, bodyBytes, provider } = source;
  const counter = createTokenCounter(provider);
  let textBytes = 0;
  let extra = 0;
  for (const { text } of request.texts) {
    counter.add(text);
    textBytes += Buffer.byteLength(text);
    extra += extraTokens(provider, request.model ?? '', text);
  }
  const otherBytes = Math.max(0, bodyBytes - mediaChars(request) - textBytes);
  const textTokens =
    Math.min(counter.tokens + extra, textBytes) +
    Math.ceil(otherBytes / 2) +
    request.texts.length * MESSAGE_OVERHEAD_TOKENS;
  const cheap = byteBound(source);
  const counted = bounded(source, textTokens);
  return { ...cheap, textTokens: Math.min(cheap.textTokens, counted.textTokens) };
}

/** Estimates the billed tokens of text input, for answers that end without usage. */
export function countedInput(provider: ProviderName, request: RequestFacts): number {
  const counter = createTokenCounter(provider);
  for (const { text } of request.texts) counter.add(text);
  return counter.tokens + request.texts.length * MESSAGE_OVERHEAD_TOKENS;
}

/**
 * Returns an upper bound of the search units of a rerank request (one per 100 chunks of 500 tokens, docs.cohere.com),
 * or 1 for other operations.
 */
export function requestUnits(operation: Operation, request: RequestFacts): number {
  if (operation !== 'rerank') return 1;
  const chunks = request.texts.reduce(
    (sum, { text }) => sum + 1 + Math.floor(Buffer.byteLength(text) / 500),
    0,
  );
  return Math.max(1, Math.ceil(chunks / 100));
}

function bounded(source: InputSource, ownTokens: number): InputBound {
  const { request, provider, contextTokens, pricedModels } = source;
  const around = request.tools.length > 0 || request.hostedTools.length > 0 ? TOOLS_OVERHEAD_TOKENS : 0;
  const target = { provider, models: [...request.models, ...pricedModels], contextTokens };
  let images = 0;
  let sound = 0;
  let documents = 0;
  for (const media of request.media) {
    const { tokens, mayBeSound } = mediaBound(media, target);
    if (mayBeSound) sound += tokens;
    else if (media.kind === 'document') documents += tokens;
    else images += tokens;
  }
  // Audio and documents are each limited to the context. With unseen content, text counts as at least the rest of the
  // context.
  const audioTokens = Math.min(sound, contextTokens);
  const textTokens =
    ownTokens + PROMPT_OVERHEAD_TOKENS + around + images + Math.min(documents, contextTokens);
  return {
    textTokens: request.unseenContent ? Math.max(textTokens, contextTokens - audioTokens) : textTokens,
    audioTokens,
  };
}

function mediaChars(request: RequestFacts): number {
  return request.media.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
}
