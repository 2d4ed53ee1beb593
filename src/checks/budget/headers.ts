import { HEADER } from '../../headers.ts';
import { formatUsd } from '../../pricing/usd.ts';
import type { Tightest } from './store.ts';

/** What a client learns of its budget, in an answer or a refusal (docs/sessions.md#headers-of-an-answer). */
export function budgetHeaders({ account, remainingNanoUsd }: Tightest): Record<string, string> {
  return {
    [HEADER.sessionRemaining]: formatUsd(Math.max(0, remainingNanoUsd)),
    [HEADER.budgetWindow]: account.name,
  };
}
