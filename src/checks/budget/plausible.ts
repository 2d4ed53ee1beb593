import type { Answered, Parsed } from '../../pipeline/exchange.ts';
import { requestUnits } from '../../pricing/input-bound.ts';
import type { Usage } from '../../providers/dialect.ts';
import type { BillingDetails } from '../../providers/billing-details.ts';
import { outputsOf } from './estimate.ts';
import type { Quote } from './quote.ts';

export interface Granted extends Quote {
  readonly parsed: Parsed;
  readonly reservedNanoUsd: number;
  /** Output limit per choice that the reservation covers. */
  readonly outputTokens: number;
  /** Whether an output limit was sent to the provider. */
  readonly isLimited: boolean;
}

/**
 * Factor by which a plausible count may exceed the granted amount. Providers count templates, parallel thinking and
 * tool rounds in unexpected ways, and outdated prices must not lower a charge.
 */
const TIMES = 4;
const SLACK_TOKENS = 8_192;
/** Built-in tools repeat input and output in every round. */
const ROUNDS = 16;
/** Output bound for models without known limits. Often, nothing else bounds their reasoning. */
const MOST_REASONING_TOKENS = 200_000;
/** Output limits do not shorten audio, images or video. */
const MOST_MEDIA_TOKENS = 200_000;
const MOST_TOOL_CALLS = 256;
const SLACK_NANO_USD = 1_000_000_000;

/** Returns the reason why the reported usage is implausible for this request, or undefined. */
export function whyAbsurd(granted: Granted, { answer }: Answered): string | undefined {
  const { usage, billing } = answer;
  const { toolCalls, absurdTokens } = billing.bill;
  if (absurdTokens > 0) return `a count of ${absurdTokens} tokens`;
  const calls = sumOf(toolCalls);
  if (calls > MOST_TOOL_CALLS) return `${calls} calls to provider tools`;
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
  return isAbsurd ? `${outputTokens} output tokens, of ${limit * request.choices} granted` : undefined;
}

function absurdInput(
  granted: Granted,
  { inputTokens, searchUnits = 0 }: Usage,
  toolCalls: BillingDetails['toolCalls'],
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
  return inputTokens > most + SLACK_TOKENS ? `${inputTokens} input tokens, of at most ${bound}` : undefined;
}

/** Checks a router's bill. Without a known price, there is no reservation to compare it with. */
function absurdBill({ price, reservedNanoUsd }: Granted, { billedNanoUsd = 0 }: Usage): string | undefined {
  const most = reservedNanoUsd * TIMES + SLACK_NANO_USD;
  return price.listed !== undefined && billedNanoUsd > most
    ? `a bill of ${billedNanoUsd} nano-USD, of ${reservedNanoUsd} reserved`
    : undefined;
}

/** Returns the maximum number of tool rounds. Unbounded requests are allowed only without a budget. */
function roundsOf({ keptTools, parsed }: Granted): number {
  return keptTools.length > 0 || parsed.request.unbounded !== undefined ? ROUNDS : 1;
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}
