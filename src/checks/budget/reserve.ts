import type { CoreConfig } from '../../config/core.ts';
import { HEADER } from '../../headers.ts';
import { PASS, type FinalVerdict } from '../../pipeline/check.ts';
import type { Batch } from '../../pipeline/batch.ts';
import type { InputBound } from '../../pricing/input-bound.ts';
import { limitOf, type Estimate } from './estimate.ts';
import type { Quote } from './quote.ts';
import type { BudgetStore, BudgetOperation, ReserveResult } from './store.ts';
import { editsOf, limitRead, worstOf, type Targets } from './targets.ts';

const MAX_BYTES_PER_TOKEN = 10;

/** Reserves the worst case from the byte bound. If refused, counts tokens and may lower the client's limit. */
export function reserveWorstCase(
  store: Pick<BudgetStore, 'reserve'>,
  settings: CoreConfig['pricing'],
  { operation, targets }: { readonly operation: BudgetOperation; readonly targets: Targets },
  batch: Batch | undefined,
): Promise<ReserveResult> {
  const [{ quote }] = targets;
  const worstCase = (bound: (quote: Quote) => InputBound, mayLowerLimit: boolean): Estimate =>
    worstOf(targets, { settings, bound, mayLowerLimit });
  const byBytes = worstCase((quoted) => quoted.bound('bytes'), false);
  return store.reserve({ ...operation, ...byBytes }, batch, (first) => {
    if (first.kind !== 'refused') return undefined;
    // Long prompts from a key without remaining budget must not cost tokenizing time.
    const mayLower = settings.lower_client_limits;
    if (leastCost(worstCase(shortestInput, mayLower)) > first.tightest.remainingNanoUsd) return undefined;

    const again = worstCase((quoted) => quoted.bound('count'), mayLower);
    const isShorter = quote.bound('count').textTokens < quote.bound('bytes').textTokens;
    const mayFit = isShorter || again.lowestTokens !== undefined;
    return mayFit ? { ...operation, ...again } : undefined;
  });
}

function shortestInput(quote: Quote): InputBound {
  const byBytes = quote.bound('bytes');
  return { ...byBytes, textTokens: byBytes.textTokens / MAX_BYTES_PER_TOKEN };
}

function leastCost(least: Estimate): number {
  const requested = least.outputTokens ?? least.minGrantTokens;
  return least.inputNanoUsd + least.outputNanoUsd * Math.min(requested, least.lowestTokens ?? requested);
}

/** Sends and reports the reserved limit if it is below the client's limit. */
export function lowerLimit(targets: Targets, reservedTokens: number): FinalVerdict {
  const [{ parsed: first }] = targets;
  const read = limitRead(targets);
  const limits = targets.map(({ parsed, quote }) => limitOf(parsed.request, quote.price, read) ?? 0);
  const limit = Math.max(...limits);
  if (reservedTokens >= limit) return PASS;
  return {
    kind: 'rewrite',
    reason: `the output limit was lowered from ${limit} tokens to ${reservedTokens}: that is all the budget has left`,
    apply() {
      for (const { parsed } of targets) {
        editsOf(parsed).push(...(parsed.request.output?.set(reservedTokens) ?? []));
      }
      first.responseHeaders.set(HEADER.outputLimit, String(reservedTokens));
    },
  };
}
