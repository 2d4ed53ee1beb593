import { isSuccess } from '../../pipeline/success.ts';
import type { Answered, Outcome, Parsed } from '../../pipeline/exchange.ts';
import { countWritten } from '../../pricing/count.ts';
import { countedInput, requestUnits, type InputBound } from '../../pricing/input-bound.ts';
import { isSound } from '../../pricing/media-bound.ts';
import type { ModelPrice } from '../../pricing/price.ts';
import type { Usage } from '../../providers/provider.ts';
import { outputsOf } from './estimate.ts';

/** An exchange whose reservation is to be settled. */
export interface ChargeParts {
  readonly parsed: Parsed;
  /** Undefined while the provider has not answered. */
  readonly answered: Answered | undefined;
  readonly outcome: Outcome;
  readonly price: ModelPrice;
  /** The most its input can have been. */
  bound(by: 'count'): InputBound;
  readonly reservedNanoUsd: number;
  /** Calls of tools that the provider runs itself; usage does not tell them. */
  readonly toolsNanoUsd: number;
  /** `pricing.abort_slack_tokens`. */
  readonly abortSlackTokens: number;
  /** From before the request was forwarded until now. */
  readonly elapsedMs: number;
  /** `pricing.output_tokens_per_second` of its provider: the most that one answer can be written at. */
  readonly outputTokensPerSecond: number;
  readonly at: Date;
}

/** Answers of a proxy on the provider's side: the model may have run, and been billed, behind them. */
const LOST_BEHIND_A_PROXY: ReadonlySet<number> = new Set([502, 504, 524]);

/** What an exchange costs, by the table of charges (docs/budgets.md), in nano-USD. */
export function chargeOf(parts: ChargeParts): number {
  switch (parts.outcome.kind) {
    case 'not_forwarded':
      return 0;
    case 'lost':
      return parts.reservedNanoUsd;
    case 'complete':
      return parts.answered === undefined ? parts.reservedNanoUsd : completeCharge(parts, parts.answered);
    case 'broken_off':
      return parts.answered === undefined ? parts.reservedNanoUsd : brokenOffCharge(parts, parts.answered);
  }
}

function completeCharge(parts: ChargeParts, answered: Answered): number {
  if (LOST_BEHIND_A_PROXY.has(answered.status)) {
    return parts.reservedNanoUsd;
  }
  if (!isSuccess(answered)) {
    return 0;
  }
  const { usage, facts, written } = answered.answer;
  if (usage !== undefined) {
    const cost = costOfExchange(parts, withSound(parts, usage));
    // Sound without a price was billed all the same, and not as text.
    return writesUnpriced(parts, usage) ? Math.max(cost, parts.reservedNanoUsd) : cost;
  }
  // Of an answer that was to be written and shows neither usage nor a word, nobody can tell what it cost.
  const writes = parts.parsed.request.output !== undefined;
  if (outputsOf(parts.parsed.request, parts.price).length > 0) {
    return parts.reservedNanoUsd;
  }
  const readable = written.text !== '' || (!writes && (facts !== undefined || answered.form === 'stream'));
  if (!readable) return parts.reservedNanoUsd;
  return costOfExchange(parts, countedUsage(parts, countWritten(parts.parsed.provider.name, written)));
}

function brokenOffCharge(parts: ChargeParts, answered: Answered): number {
  if (!isSuccess(answered)) {
    return completeCharge(parts, answered);
  }
  const { parsed, price, reservedNanoUsd } = parts;
  const billed = answered.answer.usage?.billedNanoUsd ?? 0;
  const sight = sightOf(answered, price);
  // Sound and pictures are not counted as they pass.
  if (sight === 'none' || outputsOf(parsed.request, price).length > 0) {
    return Math.max(reservedNanoUsd, billed);
  }
  const written = countWritten(parsed.provider.name, answered.answer.written);
  const seen = answered.answer.usage ?? countedUsage(parts, written);
  const outputTokens = Math.max(seen.outputTokens, written + (parsed.request.predictedTokens ?? 0));
  const cost = costOfExchange(parts, { ...seen, outputTokens: outputTokens + parts.abortSlackTokens });
  const most = sight === 'all' ? cost : Math.max(cost, elapsedCost(parts, seen));
  // A bill is no estimate.
  return Math.max(Math.min(most, reservedNanoUsd), billed);
}

/** The most that can have been written in the time, by each of the answers, at the dearest rate of output. */
function elapsedCost(parts: ChargeParts, seen: Usage): number {
  const { parsed, price, elapsedMs, outputTokensPerSecond } = parts;
  const tokens = Math.ceil((elapsedMs / 1_000) * outputTokensPerSecond) * parsed.request.choices;
  const { outputNanoUsd } = price.worstRates(seen.inputTokens);
  return Math.ceil(costOfExchange(parts, { ...seen, outputTokens: 0 }) + tokens * outputNanoUsd);
}

/** Of input that is more than its texts, the most that it can be; `written` are the answer's tokens as counted. */
function countedUsage({ parsed, bound }: ChargeParts, written: number): Usage {
  const { provider, request } = parsed;
  const outputTokens = written + (request.predictedTokens ?? 0);
  if (request.media.length === 0 && !request.unseenContent) {
    return { inputTokens: countedInput(provider.name, request), outputTokens };
  }
  const { textTokens, audioTokens } = bound('count');
  return { inputTokens: textTokens + audioTokens, inputAudioTokens: audioTokens, outputTokens };
}

/** A usage that does not tell sound from text: as much of it as can be is sound. */
function withSound({ parsed: { request }, price, bound }: ChargeParts, usage: Usage): Usage {
  const hears = usage.inputAudioTokens === undefined && request.media.some(isSound);
  const speaks = usage.outputAudioTokens === undefined && outputsOf(request, price).includes('audio');
  return {
    ...usage,
    ...(hears && { inputAudioTokens: Math.min(usage.inputTokens, bound('count').audioTokens) }),
    ...(speaks && { outputAudioTokens: usage.outputTokens - (usage.reasoningTokens ?? 0) }),
  };
}

function writesUnpriced({ price }: ChargeParts, { outputAudioTokens = 0 }: Usage): boolean {
  return outputAudioTokens > 0 && !price.pricedOutputs.has('audio');
}

function costOfExchange({ parsed, price, toolsNanoUsd, at }: ChargeParts, usage: Usage): number {
  const units = requestUnits(parsed.endpoint.operation, parsed.request);
  const listed = price.cost(usage, at) + price.requestNanoUsd * (units - 1) + toolsNanoUsd;
  return Math.max(listed, usage.billedNanoUsd ?? 0);
}

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
type Sight =
  /** All that was written, but for what was on its way. */
  | 'all'
  /** The model may have written more than it showed, at the pace of its provider. */
  | 'part'
  /** The model may have written any amount. */
  | 'none';

/** Of the models that may have answered, by their names as asked for and as priced: a deployment's own tells nothing. */
function sightOf({ request, answer }: Answered, { models }: Pick<ModelPrice, 'models'>): Sight {
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
