import { isDeepStrictEqual } from 'node:util';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { JudgedCall } from '../../pipeline/facts.ts';
import type { PolicyCall } from '../../policy/call.ts';
import type { Decision } from '../../policy/decision.ts';
import type { PolicySet } from '../../policy/policy-set.ts';
import { callStep } from '../../policy/trace-step.ts';

const ACTIONS = ['quarantine', 'deny', 'escalate', 'mask', 'taint'] as const;

/**
 * Returns the fallbacks that policies judge like the first target: same rules, next session state and marks. The first
 * target's consequences, masks and approvals then apply to all. If a judgement fails, all fallbacks are dropped.
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
      if (own !== undefined && (await areAlike(set, first, [own, ...callsOfOtherModels(fallback, own)])))
        alike.push(fallback);
    }
    return alike;
  } catch {
    return []; // Fallbacks must not be tried unjudged.
  }
}

export async function areModelsAlike(exchange: Parsed, { set, call }: JudgedCall): Promise<boolean> {
  const others = callsOfOtherModels(exchange, call);
  return others.length === 0 || areAlike(set, await outcomeOf(set, call), others);
}

function callsOfOtherModels({ request, facts }: Parsed, call: PolicyCall): readonly PolicyCall[] {
  const { input } = call;
  if (input.request.method !== 'llm_call') return [];
  const called = input.request;
  const models = [...request.models, ...(facts.toolModels ?? [])];
  const others = new Set(models.filter((name) => name !== called.model));
  return [...others].map((model) => ({ ...call, input: { ...input, request: { ...called, model } } }));
}

async function areAlike(set: PolicySet, first: Outcome, calls: readonly PolicyCall[]): Promise<boolean> {
  for (const call of calls) if (!isDeepStrictEqual(await outcomeOf(set, call), first)) return false;
  return true;
}

type Outcome = readonly unknown[];

async function outcomeOf(set: PolicySet, call: PolicyCall): Promise<Outcome> {
  const decision = await set.decide(call);
  const rules = ACTIONS.map((action) => namesOf(decision[action]));
  const marks = set.needsSteps(call.input.request.method) ? await set.marksOf(callStep(call)) : [];
  return [...rules, decision.allow.length > 0, await set.nextState(call), marks];
}

function namesOf(hits: Decision['deny']): readonly string[] {
  return hits.map(({ rule }) => rule).toSorted();
}
