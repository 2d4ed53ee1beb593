import type { Session, SessionAhead, SessionLimits } from './store.ts';

/**
 * Returns a session read ahead with one more step. Undefined if the call might be refused or change the
 * session's limits; then the store decides before other checks.
 */
export function asIfOpened({ session, isOpen }: SessionAhead, requested: SessionLimits): Session | undefined {
  if (isOpen && isTighter(requested, session)) return undefined;
  const { maxSteps, budgetNanoUsd } = isOpen ? session : requested;
  const { steps, spendNanoUsd } = session;
  if (steps >= (maxSteps ?? Infinity) || spendNanoUsd >= (budgetNanoUsd ?? Infinity)) return undefined;
  return { ...session, maxSteps, budgetNanoUsd, steps: steps + 1 };
}

/** Reports whether a request's limits change those of its session. */
export function isTighter(
  requested: SessionLimits,
  { maxSteps = Infinity, budgetNanoUsd = Infinity }: SessionLimits,
): boolean {
  return (requested.maxSteps ?? Infinity) < maxSteps || (requested.budgetNanoUsd ?? Infinity) < budgetNanoUsd;
}
