import type { Session } from '../src/checks/session/store.ts';
import { formatUsd } from '../src/pricing/usd.ts';
import { shortTime } from './key-view.ts';

/** Names as in docs/policies.md, times in ISO 8601, money in USD; null where there is no limit. */
export function sessionJson(session: Session) {
  return {
    id: session.id,
    created_at: new Date(session.createdAt).toISOString(),
    last_used_at: new Date(session.lastUsedAt).toISOString(),
    steps: session.steps,
    max_steps: session.maxSteps ?? null,
    spend_usd: session.spendNanoUsd / 1e9,
    budget_usd: session.budgetNanoUsd === undefined ? null : session.budgetNanoUsd / 1e9,
  };
}

export const SESSION_HEADINGS = ['SESSION', 'CREATED (UTC)', 'LAST USED (UTC)', 'STEPS', 'SPENT (USD)'];

/** Returns the cells of a session's row, under SESSION_HEADINGS. */
export function sessionCells(session: Session): string[] {
  return [
    session.id,
    shortTime(session.createdAt),
    shortTime(session.lastUsedAt),
    of(String(session.steps), session.maxSteps),
    of(formatUsd(session.spendNanoUsd), session.budgetNanoUsd, formatUsd),
  ];
}

/** `3/10`, or `3` without a limit. */
function of(used: string, limit: number | undefined, format: (limit: number) => string = String): string {
  return limit === undefined ? used : `${used}/${format(limit)}`;
}
