import type { Session, SessionAhead, SessionLimits } from './store.ts';

/**
 * A session that was read ahead, with one step more; undefined where the call might be refused, or changes what the session
 * is held to: its store decides that, and says it, before the call is judged by anything else.
 */
export function asIfOpened({ session, isOpen }: SessionAhead, asked: SessionLimits): Session | undefined {
  if (isOpen && isTighter(asked, session)) return undefined;
  const { maxSteps, budgetNanoUsd } = isOpen ? session : asked;
  const { steps, spendNanoUsd } = session;
  if (steps >= (maxSteps ?? Infinity) || spendNanoUsd >= (budgetNanoUsd ?? Infinity)) return undefined;
  return { ...session, maxSteps, budgetNanoUsd, steps: steps + 1 };
}

/** Whether a request that names these limits changes those of its session. */
export function isTighter(
  asked: SessionLimits,
  { maxSteps = Infinity, budgetNanoUsd = Infinity }: SessionLimits,
): boolean {
  return (asked.maxSteps ?? Infinity) < maxSteps || (asked.budgetNanoUsd ?? Infinity) < budgetNanoUsd;
}
