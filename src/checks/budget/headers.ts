import { HEADER } from '../../headers.ts';
import { formatUsd } from '../../pricing/usd.ts';
import type { SettleResult, Tightest } from './store.ts';

/** Returns the budget headers of an answer or refusal (docs/sessions.md#headers-of-an-answer). */
export function budgetHeaders({ account, remainingNanoUsd }: Tightest): Record<string, string> {
  return {
    [HEADER.sessionRemaining]: formatUsd(Math.max(0, remainingNanoUsd)),
    [HEADER.budgetWindow]: account.budget === undefined ? account.name : `${account.budget}:${account.name}`,
  };
}

export interface SettledCost extends SettleResult {
  readonly costNanoUsd: number;
}

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

/** Returns a stream's final cost as a comment, because the headers are sent before the cost is known. */
export function closingComment(settled: SettledCost): string {
  return Object.entries(costHeaders(settled))
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
