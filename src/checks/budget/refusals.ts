import { retryAfter } from '../../errors.ts';
import type { Denial } from '../../pipeline/check.ts';
import { formatUsd } from '../../pricing/usd.ts';
import { NEVER_RESETS, resetsIn } from '../denials.ts';
import { timeSpan } from '../../text/time-span.ts';
import { SESSION_ACCOUNT } from './accounts.ts';
import { budgetHeaders } from './headers.ts';
import type { Tightest } from './store.ts';

/** 429: the tightest account, what it has left, and when it starts anew. */
export function budgetExceeded(tightest: Tightest, wantedNanoUsd: number): Denial {
  const { account, remainingNanoUsd, resetMs } = tightest;
  if (account.name === SESSION_ACCOUNT) return sessionBudgetExceeded(tightest, wantedNanoUsd);
  const remaining = formatUsd(Math.max(0, remainingNanoUsd));
  const denied = (message: string, headers = {}): Denial => ({
    kind: 'deny',
    type: 'budget_exceeded',
    message,
    headers: { ...headers, ...budgetHeaders(tightest) },
  });
  const { limitNanoUsd = Infinity } = account;
  if (limitNanoUsd === 0)
    return denied(`this key is blocked: its ${account.name} budget is 0. ${NEVER_RESETS}`);
  const message = `the ${account.name} budget has ${remaining} USD left, and this request may cost ${formatUsd(wantedNanoUsd)} USD`;
  if (wantedNanoUsd > limitNanoUsd) return denied(`${message}, more than the whole budget. ${NEVER_RESETS}`);
  if (resetMs === undefined) return denied(message);
  const wait = retryAfter('budget_exceeded', resetMs);
  const worthWaiting = Object.keys(wait).length > 0;
  const words = worthWaiting ? `it starts anew in ${timeSpan(resetMs)}` : resetsIn(resetMs);
  return denied(`${message}; ${words}`, wait);
}

/** 429: the client's own limit, which never starts anew. */
function sessionBudgetExceeded(tightest: Tightest, wantedNanoUsd: number): Denial {
  const remaining = formatUsd(Math.max(0, tightest.remainingNanoUsd));
  return {
    kind: 'deny',
    type: 'session_budget_exceeded',
    message: `the budget of this session has ${remaining} USD left, and this request may cost ${formatUsd(wantedNanoUsd)} USD. ${NEVER_RESETS}`,
    headers: budgetHeaders(tightest),
  };
}

/** Names come from the client and go into messages and headers: plain characters only, bounded. */
export function printableName(name: string): string {
  return name.replace(/[^A-Za-z0-9._:/@-]/g, '?').slice(0, 96);
}
