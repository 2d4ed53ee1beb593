import { retryAfter } from '../../errors.ts';
import type { Denial } from '../../pipeline/check.ts';
import { formatUsd } from '../../pricing/usd.ts';
import { NEVER_RESETS, resetsIn } from '../denials.ts';
import { timeSpan } from '../../text/time-span.ts';
import { SESSION_ACCOUNT } from './accounts.ts';
import { budgetHeaders } from './headers.ts';
import type { Account, Tightest } from './store.ts';

const ASK = "Ask the gateway's operator for a larger budget";

function couldCost(nanoUsd: number): string {
  return `This request could cost up to ${formatUsd(nanoUsd)} USD`;
}

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
  const budget = budgetName(account);
  if (limitNanoUsd === 0)
    return denied(
      `This key may not spend anything: ${account.budget === undefined ? `its ${account.name} budget` : budget} is 0 USD. ${ASK}. ${NEVER_RESETS}`,
    );
  const cost = couldCost(wantedNanoUsd);
  if (wantedNanoUsd > limitNanoUsd) {
    const message = `${cost}; ${budget} is ${formatUsd(limitNanoUsd)} USD`;
    return denied(
      `${message}. Lower max_tokens or n, or ask the gateway's operator for a larger budget. ${NEVER_RESETS}`,
    );
  }
  const message = `${cost}; ${budget} has ${remaining} USD left`;
  if (resetMs === undefined) return denied(`${message}. Lower max_tokens or n. ${ASK}`);
  const wait = retryAfter('budget_exceeded', resetMs);
  const worthWaiting = Object.keys(wait).length > 0;
  const resets = `${message} and resets in ${timeSpan(resetMs)}`;
  return worthWaiting
    ? denied(resets, wait)
    : denied(`${resets}. Wait until then, or lower max_tokens or n. ${resetsIn(resetMs)}`);
}

function budgetName({ name, budget }: Account): string {
  return budget === undefined ? `the ${name} budget of this key` : `the ${name} budget ${budget}`;
}

function sessionBudgetExceeded(tightest: Tightest, wantedNanoUsd: number): Denial {
  const remaining = formatUsd(Math.max(0, tightest.remainingNanoUsd));
  return {
    kind: 'deny',
    type: 'session_budget_exceeded',
    message: `${couldCost(wantedNanoUsd)}; the budget of this session has ${remaining} USD left. Lower max_tokens or n, or start a new session. ${NEVER_RESETS}`,
    headers: budgetHeaders(tightest),
  };
}
