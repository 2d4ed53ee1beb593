import { HEADER } from '../../headers.ts';
import { formatUsd } from '../../pricing/usd.ts';
import type { SettleResult, Tightest } from './store.ts';

/** What a client learns of its budget, in an answer or a refusal (docs/sessions.md#headers-of-an-answer). */
export function budgetHeaders({ account, remainingNanoUsd }: Tightest): Record<string, string> {
  return {
    [HEADER.sessionRemaining]: formatUsd(Math.max(0, remainingNanoUsd)),
    [HEADER.budgetWindow]: account.name,
  };
}

/** A reservation whose cost is known. */
export interface SettledCost extends SettleResult {
  readonly costNanoUsd: number;
}

/** What a client learns once the cost is known. */
export function costHeaders({
  costNanoUsd,
  sessionSpentNanoUsd,
  tightest,
}: SettledCost): Record<string, string> {
  return {
    [HEADER.requestCost]: formatUsd(costNanoUsd),
    ...(sessionSpentNanoUsd === undefined ? {} : { [HEADER.sessionSpend]: formatUsd(sessionSpentNanoUsd) }),
    ...(tightest === undefined ? {} : budgetHeaders(tightest)),
  };
}

/** The final cost of a stream, whose headers left before it was known. */
export function closingComment(settled: SettledCost): string {
  return Object.entries(costHeaders(settled))
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
