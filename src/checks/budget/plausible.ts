import type { Answered, Parsed } from '../../pipeline/exchange.ts';
import { requestUnits } from '../../pricing/input-bound.ts';
import type { Usage } from '../../providers/provider.ts';
import type { ToldBill } from '../../providers/told-bill.ts';
import { outputsOf } from './estimate.ts';
import type { Quote } from './quote.ts';

export interface Granted extends Quote {
  readonly parsed: Parsed;
  readonly reservedNanoUsd: number;
  /** The limit of one answer that was reserved. */
  readonly outputTokens: number;
  /** The limit was sent. */
  readonly isLimited: boolean;
}

/**
 * How far a count may lie over what was granted, and still be a bill: providers count templates, several paths of thought
 * and rounds of tools oddly, and a price that is out of date is no reason to charge less.
 */
const TIMES = 4;
const SLACK_TOKENS = 8_192;
/** Tools of the provider's own read and write anew in each of their rounds. */
const ROUNDS = 16;
/** Reasoning that is told apart may have no limit but the model's own. */
const MOST_REASONING_TOKENS = 200_000;
/** Sound, pictures and film come whole, whatever the limit is. */
const MOST_MEDIA_TOKENS = 200_000;
const MOST_TOOL_CALLS = 256;
const SLACK_NANO_USD = 1_000_000_000;

/** Why a usage cannot be what was billed for this request; undefined where it can. */
export function whyAbsurd(granted: Granted, { answer }: Answered): string | undefined {
  const { usage, billing } = answer;
  const { toolCalls, absurdTokens } = billing.bill;
  if (absurdTokens > 0) return `a count of ${absurdTokens} tokens`;
  const calls = sumOf(toolCalls);
  if (calls > MOST_TOOL_CALLS) return `${calls} calls of tools that the provider runs`;
  return (
    usage &&
    (absurdOutput(granted, usage) ?? absurdInput(granted, usage, toolCalls) ?? absurdBill(granted, usage))
  );
}

function absurdOutput(granted: Granted, { outputTokens, reasoningTokens = 0 }: Usage): string | undefined {
  const { parsed, price } = granted;
  const { request } = parsed;
  const own = price.maxOutputTokens ?? price.contextTokens ?? MOST_REASONING_TOKENS;
  const limit = granted.isLimited ? granted.outputTokens : Math.max(granted.outputTokens, own);
  const least = outputsOf(request, price).length > 0 ? MOST_MEDIA_TOKENS : 0;
  const rounds = roundsOf(granted);
  const most = Math.max(limit * TIMES, least) * request.choices + (request.predictedTokens ?? 0);
  const mostReasoning = Math.max(most, own * request.choices);
  const reasoned = Math.min(reasoningTokens, outputTokens);
  const isAbsurd =
    outputTokens - reasoned > most * rounds + SLACK_TOKENS ||
    reasoned > mostReasoning * rounds + SLACK_TOKENS;
  return isAbsurd ? `${outputTokens} tokens of output, of ${limit * request.choices} granted` : undefined;
}

function absurdInput(
  granted: Granted,
  { inputTokens, searchUnits = 0 }: Usage,
  toolCalls: ToldBill['toolCalls'],
): string | undefined {
  const { endpoint, request } = granted.parsed;
  const units = requestUnits(endpoint.operation, request);
  if (searchUnits > units * TIMES + TIMES) return `${searchUnits} search units, of at most ${units}`;
  if (inputTokens <= SLACK_TOKENS) return undefined;
  const { textTokens, audioTokens } = granted.bound('bytes');
  const bound = textTokens + audioTokens;
  const own = granted.price.contextTokens ?? 0;
  const rounds = roundsOf(granted);
  const most = toolCalls.size > 0 ? Math.max(bound, own) * ROUNDS : bound * TIMES * rounds;
  return inputTokens > most + SLACK_TOKENS
    ? `${inputTokens} tokens of input, of at most ${bound}`
    : undefined;
}

/** A router's bill; where no price is known, nothing was reserved that it could be held against. */
function absurdBill({ price, reservedNanoUsd }: Granted, { billedNanoUsd = 0 }: Usage): string | undefined {
  const most = reservedNanoUsd * TIMES + SLACK_NANO_USD;
  return price.listed !== undefined && billedNanoUsd > most
    ? `a bill of ${billedNanoUsd} nano-USD, of ${reservedNanoUsd} reserved`
    : undefined;
}

/** A request without a bound, of a key without a budget, may go on in rounds too. */
function roundsOf({ keptTools, parsed }: Granted): number {
  return keptTools.length > 0 || parsed.request.unbounded !== undefined ? ROUNDS : 1;
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}
