import { HEADER } from '../../headers.ts';
import type { Denial } from '../../pipeline/check.ts';
import { toolDenied, NEVER_RESETS } from '../denials.ts';
import { formatUsd } from '../../pricing/usd.ts';
import { MAX_NOTE_CHARS, MAX_NOTES, type Session } from './store.ts';

export function maxStepsExceeded({ maxSteps = 0 }: Session): Denial {
  return {
    kind: 'deny',
    type: 'max_steps_exceeded',
    message: `This session has reached its maximum number of calls (${String(maxSteps)}). Start a new session. ${NEVER_RESETS}`,
  };
}

export function sessionBudgetSpent({ budgetNanoUsd = 0 }: Session): Denial {
  return {
    kind: 'deny',
    type: 'session_budget_exceeded',
    message: `This session has spent its budget of ${formatUsd(budgetNanoUsd)} USD. Start a new session. ${NEVER_RESETS}`,
    headers: { [HEADER.sessionRemaining]: '0', [HEADER.budgetWindow]: 'session' },
  };
}

export function tooManySessions(liveSessions: number): Denial {
  return {
    kind: 'deny',
    type: 'session_limit_exceeded',
    message: `this key has reached its maximum number of live sessions (${String(liveSessions)}). Continue one of them, or wait until one ends`,
  };
}

/** Refuses a call that the session cannot record, because policies rely on a complete history. */
export function historyFull(tool: string): Denial {
  const reason = `this session has called ${String(MAX_NOTES.tool)} different tools, the maximum: start a new session`;
  return toolDenied({ tool, reason, rule: 'session_history' });
}

export function longToolName(tool: string): Denial {
  const reason = `a session can store only tool names of at most ${String(MAX_NOTE_CHARS)} characters`;
  return toolDenied({ tool, reason, rule: 'session_history' });
}
