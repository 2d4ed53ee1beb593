import type { CoreConfig } from '../../config/core.ts';
import { HEADER } from '../../headers.ts';
import { PASS, type FinalVerdict } from '../../pipeline/check.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { Batch } from '../../pipeline/batch.ts';
import type { InputBound } from '../../pricing/input-bound.ts';
import { estimate, limitOf, type Estimate } from './estimate.ts';
import type { Quote } from './quote.ts';
import type { BudgetStore, BudgetOperation, ReserveResult } from './store.ts';

export interface Reserving {
  readonly operation: BudgetOperation;
  readonly parsed: Parsed;
  readonly quote: Quote;
}

/** Practical upper bound of bytes per token. */
const MAX_BYTES_PER_TOKEN = 10;

/**
 * Reserves the worst case in every account, first by the free bound of the input. If that does not fit, the
 * input is counted, and the client's own limit may be lowered to what is left.
 */
export function reserveWorstCase(
  store: Pick<BudgetStore, 'reserve'>,
  settings: CoreConfig['pricing'],
  { operation, parsed, quote }: Reserving,
  batch: Batch | undefined,
): Promise<ReserveResult> {
  const worstCase = (bound: InputBound, mayLowerLimit: boolean): Estimate =>
    estimate({
      exchange: parsed,
      price: quote.price,
      bound,
      toolsNanoUsd: quote.toolsNanoUsd,
      defaultMaxOutputTokens: settings.default_max_output_tokens,
      mayLowerLimit,
    });
  const cheap = quote.bound('bytes');
  return store.reserve({ ...operation, ...worstCase(cheap, false) }, batch, (first) => {
    if (first.kind !== 'refused') return undefined;
    // Long prompts of a key without money must not cost us tokenizing time.
    const mayLower = settings.lower_client_limits;
    const shortest = { ...cheap, textTokens: cheap.textTokens / MAX_BYTES_PER_TOKEN };
    if (leastCost(worstCase(shortest, mayLower)) > first.tightest.remainingNanoUsd) return undefined;

    const counted = quote.bound('count');
    const again = worstCase(counted, mayLower);
    const mayFit = counted.textTokens < cheap.textTokens || again.lowestTokens !== undefined;
    return mayFit ? { ...operation, ...again } : undefined;
  });
}

/** Returns the cost of a reservation at its lowest limit. */
function leastCost(least: Estimate): number {
  const requested = least.outputTokens ?? least.minGrantTokens;
  return least.inputNanoUsd + least.outputNanoUsd * Math.min(requested, least.lowestTokens ?? requested);
}

/** If less was reserved than the client's limit requires, sends the lower limit and reports it. */
export function lowerLimit(
  { request, edits, responseHeaders }: Parsed,
  { price }: Quote,
  reservedTokens: number,
): FinalVerdict {
  const limit = limitOf(request, price);
  if (limit === undefined || reservedTokens >= limit) return PASS;
  return {
    kind: 'rewrite',
    reason: `the output limit was lowered from ${limit} tokens to ${reservedTokens}: the budget has no more left`,
    apply() {
      edits.push(...(request.output?.set(reservedTokens) ?? []));
      responseHeaders.set(HEADER.outputLimit, String(reservedTokens));
    },
  };
}
