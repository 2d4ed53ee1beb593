import type { CoreConfig } from '../../config/core.ts';
import { HEADER } from '../../headers.ts';
import { PASS, type FinalVerdict } from '../../pipeline/check.ts';
import type { Batch } from '../../pipeline/batch.ts';
import type { InputBound } from '../../pricing/input-bound.ts';
import { limitOf, type Estimate } from './estimate.ts';
import type { Quote } from './quote.ts';
import type { BudgetStore, BudgetOperation, ReserveResult } from './store.ts';
import { editsOf, limitRead, worstOf, type Targets } from './targets.ts';

export interface Reserving {
  readonly operation: BudgetOperation;
  readonly targets: Targets;
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
  { operation, targets }: Reserving,
  batch: Batch | undefined,
): Promise<ReserveResult> {
  const [{ quote }] = targets;
  const worstCase = (bound: (of: Quote) => InputBound, mayLowerLimit: boolean): Estimate =>
    worstOf(targets, { settings, bound, mayLowerLimit });
  const byBytes = (of: Quote): InputBound => of.bound('bytes');
  return store.reserve({ ...operation, ...worstCase(byBytes, false) }, batch, (first) => {
    if (first.kind !== 'refused') return undefined;
    // Long prompts of a key without money must not cost us tokenizing time.
    const mayLower = settings.lower_client_limits;
    if (leastCost(worstCase(shortestInput, mayLower)) > first.tightest.remainingNanoUsd) return undefined;

    const again = worstCase((of) => of.bound('count'), mayLower);
    const isShorter = quote.bound('count').textTokens < quote.bound('bytes').textTokens;
    const mayFit = isShorter || again.lowestTokens !== undefined;
    return mayFit ? { ...operation, ...again } : undefined;
  });
}

function shortestInput(of: Quote): InputBound {
  const cheap = of.bound('bytes');
  return { ...cheap, textTokens: cheap.textTokens / MAX_BYTES_PER_TOKEN };
}

/** Returns the cost of a reservation at its lowest limit. */
function leastCost(least: Estimate): number {
  const requested = least.outputTokens ?? least.minGrantTokens;
  return least.inputNanoUsd + least.outputNanoUsd * Math.min(requested, least.lowestTokens ?? requested);
}

/** If less was reserved than the client's limit requires, sends the lower limit and reports it. */
export function lowerLimit(targets: Targets, reservedTokens: number): FinalVerdict {
  const [{ parsed: first }] = targets;
  const read = limitRead(targets);
  const limits = targets.map(({ parsed, quote }) => limitOf(parsed.request, quote.price, read) ?? 0);
  const limit = Math.max(...limits);
  if (reservedTokens >= limit) return PASS;
  return {
    kind: 'rewrite',
    reason: `the output limit was lowered from ${limit} tokens to ${reservedTokens}: the budget has no more left`,
    apply() {
      for (const { parsed } of targets) {
        editsOf(parsed).push(...(parsed.request.output?.set(reservedTokens) ?? []));
      }
      first.responseHeaders.set(HEADER.outputLimit, String(reservedTokens));
    },
  };
}
