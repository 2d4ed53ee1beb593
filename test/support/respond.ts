import type { Check, FinalVerdict, Verdict } from '../../src/pipeline/check.ts';
import type { Answered } from '../../src/pipeline/exchange.ts';

/** A check's verdict after its store has answered. */
export async function settled(
  verdict: Verdict | Promise<Verdict> | undefined,
): Promise<FinalVerdict | undefined> {
  const known = await verdict;
  return known?.kind === 'pending' ? known.verdict : known;
}

/** Passes an answer to a check, and waits for its writes, as the runner does. */
export function respond<State>(
  check: Check<State>,
  exchange: Answered,
  state: State,
): Promise<Verdict | undefined> {
  return settled(check.response?.(exchange, state));
}

/** A check that returns its final verdicts. */
export function settling<State>(check: Check<State>): Check<State> {
  const { requestBody, response } = check;
  return {
    ...check,
    ...(requestBody && {
      requestBody: async (exchange, state) =>
        (await settled(requestBody.call(check, exchange, state))) ?? NONE,
    }),
    ...(response && {
      response: async (exchange, state) => (await settled(response.call(check, exchange, state))) ?? NONE,
    }),
  };
}

const NONE: Verdict = { kind: 'pass' };
