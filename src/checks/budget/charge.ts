import { isSuccess } from '../../pipeline/success.ts';
import type { Answered, Outcome, Parsed } from '../../pipeline/exchange.ts';
import { countWritten } from '../../pricing/count.ts';
import { countedInput, requestUnits } from '../../pricing/input-bound.ts';
import { isSound } from '../../pricing/media-bound.ts';
import type { ModelPrice } from '../../pricing/price.ts';
import { dearestOf } from '../../pricing/pricing.ts';
import { surchargeOf } from '../../pricing/surcharges.ts';
import { billOfHeaders } from '../../providers/told-bill.ts';
import type { Usage } from '../../providers/provider.ts';
import { estimate, outputsOf } from './estimate.ts';
import type { Quote } from './quote.ts';
import { sightOf } from './sight.ts';
import { whyAbsurd } from './plausible.ts';

/** An exchange whose reservation is to be settled. */
export interface ChargeParts extends Quote {
  readonly parsed: Parsed;
  /** Undefined while the provider has not answered. */
  readonly answered: Answered | undefined;
  readonly outcome: Outcome;
  readonly reservedNanoUsd: number;
  /** The limit of one answer that was reserved. */
  readonly outputTokens: number;
  /** The limit was sent. */
  readonly isLimited: boolean;
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

export interface Charge {
  readonly costNanoUsd: number;
  /** How much of it follows from what the answer told of its billing, and was not asked for. */
  readonly toldNanoUsd: number;
  /** Why the usage was not believed; the reservation was charged in its place. */
  readonly absurd?: string;
}

/** What an exchange is charged under. */
interface Terms extends ChargeParts {
  /** How many times the list price. */
  readonly surcharge: number;
}

/** What an exchange costs, by the table of charges (docs/budgets.md): the dearer of what was asked and told. */
export function chargeOf(parts: ChargeParts): Charge {
  const { answered, outcome } = parts;
  const isBilled = answered !== undefined && isSuccess(answered) && outcome.kind !== 'not_forwarded';
  const absurd = isBilled ? whyAbsurd(parts, answered) : undefined;
  if (absurd !== undefined) return { costNanoUsd: parts.reservedNanoUsd, toldNanoUsd: 0, absurd };
  const asked = askedTerms(parts);
  const askedNanoUsd = chargeUnder(asked);
  const told = isBilled ? toldTerms(asked, answered) : undefined;
  if (told === undefined) return { costNanoUsd: askedNanoUsd, toldNanoUsd: 0 };
  const costNanoUsd = Math.max(askedNanoUsd, chargeUnder(told));
  return { costNanoUsd, toldNanoUsd: costNanoUsd - askedNanoUsd };
}

function askedTerms(parts: ChargeParts): Terms {
  const { asked, price, parsed } = parts;
  if (asked === undefined) return { ...parts, surcharge: 1 };
  const surcharge = surchargeOf(parsed.provider.name, price.models, asked);
  return { ...parts, surcharge, reservedNanoUsd: Math.ceil(parts.reservedNanoUsd * surcharge) };
}

/** Undefined where the answer tells nothing that may be dearer; a router's own bill counts for all that it tells. */
function toldTerms(terms: Terms, { answer, answerHeaders }: Answered): Terms | undefined {
  if (answer.usage?.billedNanoUsd !== undefined) return undefined;
  const { parsed, asked } = terms;
  const { bill } = answer.billing;
  const headers = billOfHeaders(answerHeaders);
  const prices = pricesOf(terms, bill.models);
  const price = prices.length === 0 ? terms.price : dearestOf([terms.price, ...prices]);
  const surcharge = surchargeOf(parsed.provider.name, price.models, {
    tiers: [...bill.tiers, ...headers.tiers, ...(asked?.tiers ?? [])],
    speeds: [...bill.speeds, ...headers.speeds, ...(asked?.speeds ?? [])],
    geos: [...bill.geos, ...(asked?.geos ?? [])],
  });
  const toolsNanoUsd = terms.toolCalls(bill.toolCalls);
  if (prices.length === 0 && surcharge <= terms.surcharge && toolsNanoUsd <= terms.toolsNanoUsd) {
    return undefined;
  }
  const told = { ...terms, price, surcharge, toolsNanoUsd };
  return { ...told, reservedNanoUsd: Math.max(terms.reservedNanoUsd, worstUnder(told)) };
}

/** Of models that answered and were not asked for, as far as they are known. */
function pricesOf({ parsed, price, priceTold }: Terms, models: readonly string[]): ModelPrice[] {
  return models
    .filter((model) => !parsed.request.models.includes(model) && !price.models.includes(model))
    .map(priceTold)
    .filter((found) => found !== undefined);
}

/** What would have been reserved, had these terms been known. */
function worstUnder(told: Terms): number {
  const worst = estimate({
    exchange: told.parsed,
    price: told.price,
    bound: told.bound('count'),
    toolsNanoUsd: 0,
    defaultMaxOutputTokens: told.outputTokens,
    mayLowerLimit: false,
  });
  const listed = worst.inputNanoUsd + worst.outputNanoUsd * told.outputTokens;
  return Math.ceil(listed * told.surcharge) + told.toolsNanoUsd;
}

function chargeUnder(parts: Terms): number {
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

function completeCharge(parts: Terms, answered: Answered): number {
  if (LOST_BEHIND_A_PROXY.has(answered.status)) {
    return parts.reservedNanoUsd;
  }
  if (!isSuccess(answered)) {
    return 0;
  }
  const { usage: told, facts, written, wroteSinceUsage } = answered.answer;
  if (told !== undefined) {
    const counted = wroteSinceUsage ? countWritten(parts.parsed.provider.name, written) : 0;
    const usage = { ...told, outputTokens: Math.max(told.outputTokens, counted) };
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

function brokenOffCharge(parts: Terms, answered: Answered): number {
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
function elapsedCost(parts: Terms, seen: Usage): number {
  const { parsed, price, elapsedMs, outputTokensPerSecond } = parts;
  const tokens = Math.ceil((elapsedMs / 1_000) * outputTokensPerSecond) * parsed.request.choices;
  const { outputNanoUsd } = price.worstRates(seen.inputTokens);
  return Math.ceil(
    costOfExchange(parts, { ...seen, outputTokens: 0 }) + tokens * outputNanoUsd * parts.surcharge,
  );
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

function costOfExchange({ parsed, price, surcharge, toolsNanoUsd, at }: Terms, usage: Usage): number {
  const units = Math.max(requestUnits(parsed.endpoint.operation, parsed.request), usage.searchUnits ?? 0);
  const listed = price.cost(usage, at) + price.requestNanoUsd * (units - 1);
  return Math.max(Math.ceil(listed * surcharge - 1e-6) + toolsNanoUsd, usage.billedNanoUsd ?? 0);
}
