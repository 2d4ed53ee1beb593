import type { Check, Verdict } from '../../src/pipeline/check.ts';
import type { Answered } from '../../src/pipeline/exchange.ts';

/** Gives a check an answer, and waits for what it does meanwhile, as the runner does. */
export async function respond<State>(
  check: Check<State>,
  exchange: Answered,
  state: State,
): Promise<Verdict | undefined> {
  const verdict = await check.response?.(exchange, state);
  if (verdict?.kind === 'pass') await verdict.meanwhile;
  return verdict;
}
