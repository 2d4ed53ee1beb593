import type { Answered } from '../../pipeline/exchange.ts';
import type { ModelPrice } from '../../pricing/price.ts';

/**
 * Models that may bill reasoning that they do not stream, so that the amount is unknown if the stream breaks off
 * (platform.openai.com, reasoning; docs.x.ai, reasoning; ai.google.dev, thinking; docs.aws.amazon.com/nova, reasoning
 * capabilities).
 */
const HIDES_REASONING =
  /(?:^|[/.])(?:o[1-9](?:$|-)|gpt-[56](?!.{0,256}chat)|codex|grok-[4-9]|gemini-(?:2\.5|[3-9]|[a-z-]{0,16}latest)|nova-[2-9])/;
/** Claude 4 and later stream a summary of their thinking but bill all of it (platform.claude.com). */
const SHOWS_SUMMARY = /claude-(?:[a-z]+-)[4-9]/;
/** Models that think on parallel paths, so that their output speed has no known bound. */
const THINKS_IN_PARALLEL =
  /(?:^|[/.])(?:o[1-9]-pro|gpt-[56][^/]{0,64}-pro|grok-[4-9][^/]{0,64}(?:heavy|multi-agent)|gemini-[^/]{0,64}deep-think)/;

/** How much of a broken stream's output was seen. */
export type Sight =
  /** Everything written, except what was in transit. */
  | 'all'
  /** The model may have written more than was seen, up to the provider's output speed. */
  | 'part'
  /** The model may have written any amount. */
  | 'none';

/** Checks both requested and priced model names, because deployment names reveal nothing. */
export function sightOf({ request, answer }: Answered, { models }: Pick<ModelPrice, 'models'>): Sight {
  // Running usage with a reasoning count, as in Gemini, includes hidden reasoning.
  if (answer.usage?.reasoningTokens !== undefined) return 'all';
  const names = [...request.models, ...models].map((model) => model.trim().toLowerCase());
  if (names.some((name) => THINKS_IN_PARALLEL.test(name))) return 'none';
  const { sawReasoning, text } = answer.written;
  // Models think before they answer, so without text, thinking may be the only output.
  const mayHaveThought = sawReasoning || text === '';
  const hides =
    request.hidesReasoning === true ||
    names.some((name) => HIDES_REASONING.test(name) || (mayHaveThought && SHOWS_SUMMARY.test(name)));
  return hides ? 'part' : 'all';
}
