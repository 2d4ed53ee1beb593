import type { Answered } from '../../pipeline/exchange.ts';
import type { ModelPrice } from '../../pricing/price.ts';

/**
 * Models that bill reasoning which their stream does not show, or may: where it breaks off, nobody can tell how much
 * there was (platform.openai.com, reasoning; docs.x.ai, reasoning; ai.google.dev, thinking; docs.aws.amazon.com/nova,
 * reasoning capabilities).
 */
const HIDES_REASONING =
  /(?:^|[/.])(?:o[1-9](?:$|-)|gpt-[56](?!.{0,256}chat)|codex|grok-[4-9]|gemini-(?:2\.5|[3-9]|[a-z-]{0,16}latest)|nova-[2-9])/;
/** Claude 4 and later show a summary of what they thought, and bill the thoughts (platform.claude.com, extended thinking). */
const SHOWS_SUMMARY = /claude-(?:[a-z]+-)[4-9]/;
/** They think on several paths at once, so that their pace has no bound that is known. */
const THINKS_IN_PARALLEL =
  /(?:^|[/.])(?:o[1-9]-pro|gpt-[56][^/]{0,64}-pro|grok-[4-9][^/]{0,64}(?:heavy|multi-agent)|gemini-[^/]{0,64}deep-think)/;

/** How much of a stream that broke off was seen. */
export type Sight =
  /** All that was written, but for what was on its way. */
  | 'all'
  /** The model may have written more than it showed, at the pace of its provider. */
  | 'part'
  /** The model may have written any amount. */
  | 'none';

/** Of the models that may have answered, by their names as asked for and as priced: a deployment's own tells nothing. */
export function sightOf({ request, answer }: Answered, { models }: Pick<ModelPrice, 'models'>): Sight {
  // Running usage that counts reasoning (Gemini's) tells what was hidden.
  if (answer.usage?.reasoningTokens !== undefined) return 'all';
  const names = [...request.models, ...models].map((model) => model.trim().toLowerCase());
  if (names.some((name) => THINKS_IN_PARALLEL.test(name))) return 'none';
  const { sawReasoning, text } = answer.written;
  // Thoughts come first: before a word was seen, they may be all there is.
  const mayHaveThought = sawReasoning || text === '';
  const hides =
    request.hidesReasoning === true ||
    names.some((name) => HIDES_REASONING.test(name) || (mayHaveThought && SHOWS_SUMMARY.test(name)));
  return hides ? 'part' : 'all';
}
