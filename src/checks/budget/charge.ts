import { isSuccess, type Answered, type Outcome } from '../../pipeline/exchange.ts';
import { countWritten } from '../../pricing/count.ts';
import { countedInput, requestUnits } from '../../pricing/input-bound.ts';
import { isSound } from '../../pricing/media-bound.ts';
import type { ModelPrice } from '../../pricing/price.ts';
import { mostExpensiveOf } from '../../pricing/pricing.ts';
import { surchargeOf } from '../../pricing/surcharges.ts';
import { billingInHeaders } from '../../providers/billing-details.ts';
import type { Usage } from '../../providers/dialect.ts';
import { estimate, isBilledError, outputsOf, refusalFeeNanoUsd } from './estimate.ts';
import { sightOf } from './sight.ts';
import { whyAbsurd, type Granted } from './plausible.ts';

export interface ChargeParts extends Granted {
  readonly answered: Answered | undefined;
  readonly outcome: Outcome;
  readonly abortSlackTokens: number;
  /** Time since just before the request was forwarded. */
  readonly elapsedMs: number;
  /** Upper bound of the provider's output speed. */
  readonly outputTokensPerSecond: number;
  readonly at: Date;
}

/** Statuses sent by proxies in front of the provider. The model may have run and may be billed. */
const LOST_BEHIND_A_PROXY: ReadonlySet<number> = new Set([502, 504, 524]);

export interface Charge {
  readonly costNanoUsd: number;
  /** Additional cost under the terms that the answer reports. */
  readonly reportedNanoUsd: number;
  readonly absurd?: string;
}

interface Terms extends ChargeParts {
  readonly surcharge: number;
}

/** Charges the more expensive of the requested and the reported terms (table in docs/budgets.md). */
export function chargeOf(parts: ChargeParts): Charge {
  const { answered, outcome } = parts;
  const isBilled = answered !== undefined && isSuccess(answered) && outcome.kind !== 'not_forwarded';
  const absurd = isBilled ? whyAbsurd(parts, answered) : undefined;
  if (absurd !== undefined) return { costNanoUsd: parts.reservedNanoUsd, reportedNanoUsd: 0, absurd };
  const requested = requestedTerms(parts);
  const requestedNanoUsd = chargeUnder(requested);
  const reported = isBilled ? reportedTerms(requested, answered) : undefined;
  if (reported === undefined) return { costNanoUsd: requestedNanoUsd, reportedNanoUsd: 0 };
  const costNanoUsd = Math.max(requestedNanoUsd, chargeUnder(reported));
  return { costNanoUsd, reportedNanoUsd: costNanoUsd - requestedNanoUsd };
}

function requestedTerms(parts: ChargeParts): Terms {
  const { requested, price, parsed } = parts;
  if (requested === undefined) return { ...parts, surcharge: 1 };
  const surcharge = surchargeOf(parsed.provider.name, price.models, requested);
  return { ...parts, surcharge, reservedNanoUsd: Math.ceil(parts.reservedNanoUsd * surcharge) };
}

/** Returns undefined if nothing reported costs more. A router's bill already includes all costs. */
function reportedTerms(terms: Terms, { answer, answerHeaders }: Answered): Terms | undefined {
  if (answer.usage?.billedNanoUsd !== undefined) return undefined;
  const { parsed, requested } = terms;
  const { bill } = answer.billing;
  const headers = billingInHeaders(answerHeaders);
  const prices = pricesOf(terms, bill.models);
  const price = prices.length === 0 ? terms.price : mostExpensiveOf([terms.price, ...prices]);
  const surcharge = surchargeOf(parsed.provider.name, price.models, {
    tiers: [...bill.tiers, ...headers.tiers, ...(requested?.tiers ?? [])],
    speeds: [...bill.speeds, ...headers.speeds, ...(requested?.speeds ?? [])],
    geos: [...bill.geos, ...(requested?.geos ?? [])],
  });
  const toolsNanoUsd = terms.toolCalls(bill.toolCalls);
  if (prices.length === 0 && surcharge <= terms.surcharge && toolsNanoUsd <= terms.toolsNanoUsd) {
    return undefined;
  }
  const reported = { ...terms, price, surcharge, toolsNanoUsd };
  return { ...reported, reservedNanoUsd: Math.max(terms.reservedNanoUsd, worstUnder(reported)) };
}

function pricesOf({ parsed, price, priceReported }: Terms, models: readonly string[]): ModelPrice[] {
  return models
    .filter((model) => !parsed.request.models.includes(model) && !price.models.includes(model))
    .map(priceReported)
    .filter((found) => found !== undefined);
}

/** Returns the reservation that the reported terms would have required. */
function worstUnder(reported: Terms): number {
  const worst = estimate({
    exchange: reported.parsed,
    price: reported.price,
    bound: reported.bound('count'),
    toolsNanoUsd: 0,
    defaultMaxOutputTokens: reported.outputTokens,
    mayLowerLimit: false,
  });
  const listed = worst.inputNanoUsd + worst.outputNanoUsd * reported.outputTokens;
  return Math.ceil(listed * reported.surcharge) + reported.toolsNanoUsd;
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
  if (LOST_BEHIND_A_PROXY.has(answered.status)) return parts.reservedNanoUsd;
  if (!isSuccess(answered)) return errorCharge(parts, answered);
  const { usage: reported, facts, written, wroteSinceUsage } = answered.answer;
  if (reported !== undefined) {
    const counted = wroteSinceUsage ? countWritten(parts.parsed.provider.name, written) : 0;
    const usage = { ...reported, outputTokens: Math.max(reported.outputTokens, counted) };
    const cost = costOfExchange(parts, withSound(parts, usage));
    // Unpriced audio is also billed, but not at the text rate.
    return writesUnpriced(parts, usage) ? Math.max(cost, parts.reservedNanoUsd) : cost;
  }
  // Without usage, the cost of media, provider tools and unreadable answers is unknown.
  const writes = parts.parsed.request.output !== undefined;
  const isUnseen = outputsOf(parts.parsed.request, parts.price).length > 0 || ranTools(parts, answered);
  if (isUnseen) return parts.reservedNanoUsd;
  const readable = written.text !== '' || (!writes && (facts !== undefined || answered.form === 'stream'));
  if (!readable) return parts.reservedNanoUsd;
  return costOfExchange(parts, countedUsage(parts, countWritten(parts.parsed.provider.name, written)));
}

/**
 * Returns 0 unless the error is billed. Otherwise, returns the cost of the input and of the maximum output in the
 * elapsed time, or the whole reservation if this output is not bounded; at most the reservation, but at least the
 * refusal fee.
 */
function errorCharge(parts: Terms, answered: Answered): number {
  if (!isBilledError(answered)) return 0;
  const { parsed, price, reservedNanoUsd } = parts;
  const isOpen = sightOf(answered, price) === 'none' || outputsOf(parsed.request, price).length > 0;
  const most = isOpen ? reservedNanoUsd : elapsedCost(parts, countedUsage(parts, 0));
  return Math.max(Math.min(most, reservedNanoUsd), refusalFeeNanoUsd(parsed));
}

function brokenOffCharge(parts: Terms, answered: Answered): number {
  if (!isSuccess(answered)) return completeCharge(parts, answered);
  const { parsed, price, reservedNanoUsd } = parts;
  const billed = answered.answer.usage?.billedNanoUsd ?? 0;
  const sight = sightOf(answered, price);
  // The gateway does not count audio, images and provider tool input in streams.
  if (sight === 'none' || outputsOf(parsed.request, price).length > 0 || ranTools(parts, answered)) {
    return Math.max(reservedNanoUsd, billed);
  }
  const written = countWritten(parsed.provider.name, answered.answer.written);
  const usage = answered.answer.usage ?? countedUsage(parts, written);
  const outputTokens = Math.max(usage.outputTokens, written + (parsed.request.predictedTokens ?? 0));
  const cost = costOfExchange(parts, { ...usage, outputTokens: outputTokens + parts.abortSlackTokens });
  const most = sight === 'all' ? cost : Math.max(cost, elapsedCost(parts, usage));
  // A bill is exact, not an estimate.
  return Math.max(Math.min(most, reservedNanoUsd), billed);
}

/** Also requires a provider tool in the request, because some client tools look the same in an answer. */
function ranTools({ keptTools }: ChargeParts, { answer }: Answered): boolean {
  return keptTools.length > 0 && answer.billing.bill.ranTools;
}

function elapsedCost(parts: Terms, usage: Usage): number {
  const { parsed, price, elapsedMs, outputTokensPerSecond } = parts;
  const tokens = Math.ceil((elapsedMs / 1_000) * outputTokensPerSecond) * parsed.request.choices;
  const { outputNanoUsd } = price.worstRates(usage.inputTokens);
  return Math.ceil(
    costOfExchange(parts, { ...usage, outputTokens: 0 }) + tokens * outputNanoUsd * parts.surcharge,
  );
}

/** Estimates usage: `written` plus predicted output, and counted input (an upper bound if not all is text). */
function countedUsage({ parsed, bound }: ChargeParts, written: number): Usage {
  const { provider, request } = parsed;
  const outputTokens = written + (request.predictedTokens ?? 0);
  if (request.media.length === 0 && !request.unseenContent) {
    return { inputTokens: countedInput(provider.name, request), outputTokens };
  }
  const { textTokens, audioTokens } = bound('count');
  return { inputTokens: textTokens + audioTokens, inputAudioTokens: audioTokens, outputTokens };
}

/** Adds missing audio token counts, and assumes as much audio as possible. */
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
