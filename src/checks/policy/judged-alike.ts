import { isDeepStrictEqual } from 'node:util';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { JudgedCall } from '../../pipeline/facts.ts';
import type { PolicyCall } from '../../policy/call.ts';
import type { Decision } from '../../policy/decision.ts';
import type { PolicySet } from '../../policy/policy-set.ts';
import { callStep } from '../../policy/trace-step.ts';

const ACTIONS = ['quarantine', 'deny', 'escalate', 'mask', 'taint'] as const;

/**
 * Keeps the fallbacks that policies judge as they judge the first target: by the same rules, with the same next state of
 * the session and the same marks. Consequences, masks and approvals of the first target then hold for each of them. A fallback that cannot
 * be judged is not asked.
 */
export async function judgedAlike(
  fallbacks: readonly Parsed[],
  { set, call }: JudgedCall,
  callOf: (fallback: Parsed) => PolicyCall | undefined,
): Promise<readonly Parsed[]> {
  try {
    const first = await outcomeOf(set, call);
    const alike: Parsed[] = [];
    for (const fallback of fallbacks) {
      const own = callOf(fallback);
      if (own !== undefined && isDeepStrictEqual(await outcomeOf(set, own), first)) alike.push(fallback);
    }
    return alike;
  } catch {
    return []; // The policies' failure was reported with the first target.
  }
}

async function outcomeOf(set: PolicySet, call: PolicyCall) {
  const decision = await set.decide(call);
  const rules = ACTIONS.map((action) => namesOf(decision[action]));
  const marks = set.needsSteps(call.input.request.method) ? await set.marksOf(callStep(call)) : [];
  return [...rules, decision.allow.length > 0, await set.nextState(call), marks];
}

function namesOf(hits: Decision['deny']): readonly string[] {
  return hits.map(({ rule }) => rule).toSorted();
}
