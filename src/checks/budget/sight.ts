import type { Answered } from '../../pipeline/exchange.ts';
import type { ModelPrice } from '../../pricing/price.ts';

/**
 * Models that may bill reasoning that is not in their stream. If such a stream breaks, the amount is unknown
 * (platform.openai.com, reasoning; docs.x.ai, reasoning; ai.google.dev, thinking; docs.aws.amazon.com/nova, reasoning
 * capabilities).
 */
const HIDES_REASONING =
  /(?:^|[/.])(?:o[1-9](?:$|-)|gpt-[56](?!.{0,256}chat)|codex|grok-[4-9]|gemini-(?:2\.5|[3-9]|[a-z-]{0,16}latest)|nova-[2-9])/;
/** Claude 4 and later stream a summary of their thinking but bill all of it (platform.claude.com). */
const SHOWS_SUMMARY = /claude-(?:[a-z]+-)[4-9]/;
/** Models that think on several paths in parallel: their speed has no known bound. */
const THINKS_IN_PARALLEL =
  /(?:^|[/.])(?:o[1-9]-pro|gpt-[56][^/]{0,64}-pro|grok-[4-9][^/]{0,64}(?:heavy|multi-agent)|gemini-[^/]{0,64}deep-think)/;

/** How much of a broken stream's output was seen. */
export type Sight =
  /** Everything written, except what was in transit. */
  | 'all'
  /** The model may have written more than is visible, limited by the output speed of the provider. */
  | 'part'
  /** The model may have written any amount. */
  | 'none';

/**
 * Considers all models that may have answered, by requested and by priced names, since deployment names reveal nothing.
 */
export function sightOf({ request, answer }: Answered, { models }: Pick<ModelPrice, 'models'>): Sight {
  // Running usage with a reasoning count, as in Gemini, includes hidden reasoning.
  if (answer.usage?.reasoningTokens !== undefined) return 'all';
  const names = [...request.models, ...models].map((model) => model.trim().toLowerCase());
  if (names.some((name) => THINKS_IN_PARALLEL.test(name))) return 'none';
  const { sawReasoning, text } = answer.written;
  // Models think before they answer: if there is no text, thinking may be the only output.
  const mayHaveThought = sawReasoning || text === '';
  const hides =
    request.hidesReasoning === true ||
    names.some((name) => HIDES_REASONING.test(name) || (mayHaveThought && SHOWS_SUMMARY.test(name)));
  return hides ? 'part' : 'all';
}
