import { carriesProxyKey } from '../../auth/carried-key.ts';
import { HEADER } from '../../headers.ts';
import type { Denial } from '../../pipeline/check.ts';
import { invalidRequest } from '../denials.ts';
import { SESSION_ID } from '../../conversation/session-name.ts';
import type { Identified } from '../../pipeline/exchange.ts';
import { formatUsd, toNanoUsd } from '../../pricing/usd.ts';
import { MAX_LIMIT_USD } from '../../redis/budget-limits.ts';
import type { Session, SessionLimits } from './store.ts';

export interface SessionRequest extends SessionLimits {
  readonly sessionId: string;
}

const STEPS = /^\d{1,10}$/;
/** Programs may print amounts with 17 or more digits, but not with more than 32. */
const USD = /^(?:\d{1,32}(?:\.\d{0,32})?|\.\d{1,32})$/;
const MAX_STEPS = 1_000_000_000;

/**
 * Parses the three session headers. Returns undefined if there is no session. Refuses limits that cannot be enforced,
 * and anything but a single plain value (repeated headers arrive joined by `, `).
 * @param otherId session id to use without an `X-Gateway-Session-ID` header
 */
export function sessionRequest(
  headers: ReadonlyMap<string, string>,
  otherId?: string,
): SessionRequest | Denial | undefined {
  const sessionId = headers.get(HEADER.sessionId) ?? otherId;
  const budget = headers.get(HEADER.sessionBudget);
  const maxSteps = headers.get(HEADER.sessionMaxSteps);
  if (sessionId === undefined) {
    if (budget === undefined && maxSteps === undefined) return undefined;
    const name = budget === undefined ? 'X-Gateway-Session-Max-Steps' : 'X-Gateway-Session-Budget';
    return invalidRequest(`${name} has no effect without a session: also send X-Gateway-Session-ID`);
  }
  if (!SESSION_ID.test(sessionId)) {
    return invalidRequest(
      'X-Gateway-Session-ID: send one id of 1 to 128 characters from A-Z a-z 0-9 . _ : -',
    );
  }
  if (carriesProxyKey(sessionId)) {
    return invalidRequest(
      'X-Gateway-Session-ID contains a proxy key, which would be stored and recorded: send another id',
    );
  }
  const budgetNanoUsd = budget === undefined ? undefined : readBudget(budget);
  if (Number.isNaN(budgetNanoUsd)) {
    return invalidRequest(
      `X-Gateway-Session-Budget: send one amount in USD from 0 to ${String(MAX_LIMIT_USD)}, in plain decimals`,
    );
  }
  const steps = maxSteps === undefined ? undefined : readSteps(maxSteps);
  if (Number.isNaN(steps)) {
    return invalidRequest(
      `X-Gateway-Session-Max-Steps: send one whole number from 0 to ${String(MAX_STEPS)}`,
    );
  }
  return { sessionId, maxSteps: steps, budgetNanoUsd };
}

export function setSessionHeaders(
  { responseHeaders }: Identified,
  { steps, spendNanoUsd }: Pick<Session, 'steps' | 'spendNanoUsd'>,
): void {
  responseHeaders.set(HEADER.sessionSteps, String(steps));
  responseHeaders.set(HEADER.sessionSpend, formatUsd(spendNanoUsd));
}

export function sessionRequired(): Denial {
  return invalidRequest('this gateway requires a session: send X-Gateway-Session-ID');
}

function readBudget(written: string): number {
  const usd = USD.test(written) ? Number(written) : Number.NaN;
  return usd <= MAX_LIMIT_USD ? toNanoUsd(usd) : Number.NaN;
}

function readSteps(written: string): number {
  const steps = STEPS.test(written) ? Number(written) : Number.NaN;
  return steps <= MAX_STEPS ? steps : Number.NaN;
}
