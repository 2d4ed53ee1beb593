import type { Answered } from '../../pipeline/exchange.ts';
import type { ModelPrice } from '../../pricing/price.ts';

/**
 * Models that may bill reasoning that their stream does not show. If such a stream breaks off, the amount is unknown
 * (platform.openai.com, reasoning; docs.x.ai, reasoning; ai.google.dev, thinking; docs.aws.amazon.com/nova, reasoning
 * capabilities).
 */
const HIDES_REASONING =
  /(?:^|[/.])(?:o[1-9](?:$|-)|gpt-[56](?!.{0,256}chat)|codex|grok-[4-9]|gemini-(?:2\.5|[3-9]|[a-z-]{0,16}latest)|nova-[2-9])/;
/**
 * Claude 4 and later stream a summary of their thinking but bill all of it (platform.claude.com, extended thinking).
 */
const SHOWS_SUMMARY = /claude-(?:[a-z]+-)[4-9]/;
/** Models that think on several paths at once: their speed has no known bound. */
const THINKS_IN_PARALLEL =
  /(?:^|[/.])(?:o[1-9]-pro|gpt-[56][^/]{0,64}-pro|grok-[4-9][^/]{0,64}(?:heavy|multi-agent)|gemini-[^/]{0,64}deep-think)/;

/** How much of a broken stream was seen. */
export type Sight =
  /** Everything written, except what was in transit. */
  | 'all'
  /** The model may have written more than it showed, at the provider's output speed. */
  | 'part'
  /** The model may have written any amount. */
  | 'none';

/** Judges by all models that may have answered, by requested and priced names: a deployment's name says nothing. */
export function sightOf({ request, answer }: Answered, { models }: Pick<ModelPrice, 'models'>): Sight {
  // Running usage with a reasoning count (Gemini's) includes hidden reasoning.
  if (answer.usage?.reasoningTokens !== undefined) return 'all';
  const names = [...request.models, ...models].map((model) => model.trim().toLowerCase());
  if (names.some((name) => THINKS_IN_PARALLEL.test(name))) return 'none';
  const { sawReasoning, text } = answer.written;
  // Thinking comes first: without any text, it may be all that was written.
  const mayHaveThought = sawReasoning || text === '';
  const hides =
    request.hidesReasoning === true ||
    names.some((name) => HIDES_REASONING.test(name) || (mayHaveThought && SHOWS_SUMMARY.test(name)));
  return hides ? 'part' : 'all';
}
