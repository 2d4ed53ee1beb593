import type { ProviderPricing } from '../providers/descriptor.ts';
import { providers, type ProviderName } from '../providers/registry.ts';
import { countWords } from './count-words.ts';

/** Maximum length of counted text. Counting takes about 40 µs per KiB. Further text counts as one token per byte. */
const MAX_COUNTED_CHARS = 65_536;
/** Maximum length of an unbroken run, because the tokenizer's time is quadratic in the length. */
const MAX_RUN_CHARS = 128;

/** Assumed number of tokens of other tokenizers per OpenAI token. */
const OTHER_TOKENIZERS = 1.5;

export interface TokenCounter {
  add(text: string): void;
  /** Tokens so far, scaled up if the provider's tokenizer is not OpenAI's; at most the number of bytes. */
  readonly tokens: number;
}

/** Creates a counter that does bounded work. A byte is at most one token, and a character rarely more than one. */
export function createTokenCounter(provider: ProviderName): TokenCounter {
  const { countsAsOpenai }: ProviderPricing = providers[provider].pricing;
  const factor = countsAsOpenai === true ? 1 : OTHER_TOKENIZERS;
  let countable = MAX_COUNTED_CHARS;
  let counted = 0;
  let countedBytes = 0;
  let uncountedBytes = 0;
  return {
    add(text) {
      const head = text.length <= countable ? text : text.slice(0, countable);
      countable -= head.length;
      counted += countText(head);
      const bytes = Buffer.byteLength(text);
      const headBytes = head === text ? bytes : Buffer.byteLength(head);
      countedBytes += headBytes;
      uncountedBytes += bytes - headBytes;
    },
    get tokens() {
      return Math.min(Math.ceil(counted * factor), countedBytes) + uncountedBytes;
    },
  };
}

/** Matches OpenAI models with the vocabulary counted here. Older models and other providers have other vocabularies. */
const COUNTED_EXACTLY = /^(?:ft:)?(?:chatgpt-4o|gpt-4o|gpt-4\.[15]|gpt-[5-9]|gpt-oss|o[1-9](?:-|$))/;

/**
 * Returns the tokens that other vocabularies may add to the count: one per UTF-8 byte beyond the number of UTF-16 code
 * units, and one per ASCII digit, punctuation mark and repeated space. cl100k splits Burmese into five times as many
 * tokens, and Gemma splits every digit.
 */
export function extraTokens(provider: ProviderName, model: string, text: string): number {
  if (provider === 'openai' && COUNTED_EXACTLY.test(model)) return 0;
  let extra = Buffer.byteLength(text) - text.length;
  let afterSpace = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isSpace = code <= 32;
    const isLetter = (code | 32) >= 97 && (code | 32) <= 122;
    if (code < 128 && !isLetter && !(isSpace && !afterSpace)) extra++;
    afterSpace = isSpace;
  }
  return extra;
}

/** Counts tokens in OpenAI's newest vocabulary. Text that looks like a control token counts as text. */
export function countText(text: string): number {
  let tokens = 0;
  for (const piece of withoutLongRuns(text)) tokens += countWords(piece);
  return tokens;
}

/** Splits runs of only space or only non-space characters that are longer than MAX_RUN_CHARS. */
function withoutLongRuns(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let runStart = 0;
  let inSpace = false;
  for (let at = 0; at < text.length; at++) {
    const space = text.charCodeAt(at) <= 32;
    if (space !== inSpace) {
      inSpace = space;
      runStart = at;
    } else if (at - runStart >= MAX_RUN_CHARS) {
      pieces.push(text.slice(start, at));
      start = at;
      runStart = at;
    }
  }
  pieces.push(text.slice(start));
  return pieces;
}

export interface Written {
  readonly text: string;
  readonly beyondBytes: number;
}

/** Estimates the billed output tokens from what was written. */
export function countWritten(provider: ProviderName, written: Written): number {
  const counter = createTokenCounter(provider);
  counter.add(written.text);
  return counter.tokens + written.beyondBytes;
}
