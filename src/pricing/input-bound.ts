import type { Operation, ProviderName, RequestFacts } from '../providers/provider.ts';
import { createTokenCounter, dearCharacters } from './count.ts';
import { mediaBound } from './media-bound.ts';

/** The most that the input of a request can be billed as, in tokens. */
export interface InputBound {
  /** Text, images and documents. */
  readonly textTokens: number;
  /** What is sound, has sound, or may have: at the dearer of its price and the text's. */
  readonly audioTokens: number;
}

export interface InputSource {
  readonly provider: ProviderName;
  readonly request: RequestFacts;
  /** The models whose price it is, where the request names them otherwise (deployments). */
  readonly pricedModels: readonly string[];
  /** Length of the whole body as sent. */
  readonly bodyBytes: number;
  /** The model's context window, or `pricing.default_context_tokens`. */
  readonly contextTokens: number;
}

/** What a provider's own template adds to any prompt. */
const PROMPT_OVERHEAD_TOKENS = 64;
/** What it adds around the tools: Claude's tool-use system prompts, the largest published, stay under this. */
const TOOLS_OVERHEAD_TOKENS = 1_024;
const MESSAGE_OVERHEAD_TOKENS = 8;

/**
 * An upper bound that costs nothing to find: a byte is at most one token, JSON writes no text in fewer bytes than
 * UTF-8 does, and its punctuation pays for the template's. Base64 media are taken out and bounded by their kind.
 */
export function byteBound(source: InputSource): InputBound {
  const { request, bodyBytes } = source;
  return bounded(source, Math.max(0, bodyBytes - mediaChars(request)));
}

/** A closer bound, for when the cheap one does not fit: the texts counted, the rest of the body by half its bytes. */
export function countedBound(source: InputSource): InputBound {
  const { request, bodyBytes, provider } = source;
  const counter = createTokenCounter(provider);
  let textBytes = 0;
  let dear = 0;
  for (const { text } of request.texts) {
    counter.add(text);
    textBytes += Buffer.byteLength(text);
    dear += dearCharacters(provider, request.model ?? '', text);
  }
  const otherBytes = Math.max(0, bodyBytes - mediaChars(request) - textBytes);
  const textTokens =
    Math.min(counter.tokens + dear, textBytes) +
    Math.ceil(otherBytes / 2) +
    request.texts.length * MESSAGE_OVERHEAD_TOKENS;
  const cheap = byteBound(source);
  const counted = bounded(source, textTokens);
  return { ...cheap, textTokens: Math.min(cheap.textTokens, counted.textTokens) };
}

/** Tokens of the text input as they will probably be billed, for answers that end without usage. */
export function countedInput(provider: ProviderName, request: RequestFacts): number {
  const counter = createTokenCounter(provider);
  for (const { text } of request.texts) {
    counter.add(text);
  }
  return counter.tokens + request.texts.length * MESSAGE_OVERHEAD_TOKENS;
}

/**
 * Search units of a rerank request (docs.cohere.com: one for each 100 documents, longer ones cut into chunks of 500
 * tokens); 1 for every other operation.
 */
export function requestUnits(operation: Operation, request: RequestFacts): number {
  if (operation !== 'rerank') {
    return 1;
  }
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
  // Each may fill the context, and all together can no more.
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
