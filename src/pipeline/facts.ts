import type { Obfuscation } from '../normalize/normalize.ts';
import type { PolicyCall } from '../policy/call.ts';
import type { PolicySet } from '../policy/policy-set.ts';

/**
 * Facts that one check determines and another uses, with the names of the policy input (docs/policies.md). Every fact
 * has a writer and a reader, as declared in their entries. There is one object per exchange. A fact is undefined if it
 * was not determined, and null if there is none.
 */
export interface Facts {
  /** Written by auth/authenticate, which reads it from Redis when the request headers arrive. */
  readonly agentRisk: AgentRisk;
  /** Written by the session check; null if the request is not a session step. */
  session: SessionFacts | null | undefined;
  /** Written by the session check: read ahead, not confirmed. Verdicts other than passing throw `StaleRead`. */
  isReadAhead?: boolean;
  /** Written by the hosted-tools check: models that tools of the provider run, besides those of the request. */
  toolModels?: readonly string[];
  /** Written by the drift check; null if not measured. */
  drift: DriftFacts | null | undefined;
  /** Written by the normalization check; emptied once forwarded, like the body. */
  prompt: PromptFacts | undefined;
  /** Written by the DLP check if it found nothing: all texts that it searched; emptied once forwarded. */
  searched?: readonly string[] | undefined;
  /** Written by the policy check; emptied once forwarded, like the body. */
  judged: JudgedCall | undefined;
  /** Written by the policy-state check if the session has moved. The masks of the first judgement still apply. */
  judgedAgain?: JudgedCall | undefined;
  /** Written by the policy check: rules whose escalation was approved, in case the call is judged again. */
  approvedRules?: ReadonlySet<string>;
}

export type FactName = keyof Facts;

export function newFacts(agentRisk: AgentRisk): Facts {
  return { agentRisk, session: undefined, drift: undefined, prompt: undefined, judged: undefined };
}

/** Returns a fact that a check judges by. Throws if no check has written it, rather than treat it as harmless. */
export function writtenFact<Name extends 'session' | 'drift' | 'prompt'>(
  facts: Facts,
  name: Name,
): Exclude<Facts[Name], undefined> {
  const fact: Facts[Name] = facts[name];
  if (fact === undefined)
    throw new Error(`no check has written the fact ${name}, which is needed to judge a call`);
  return fact as Exclude<Facts[Name], undefined>;
}

/** See docs/risk.md. */
export interface AgentRisk {
  /** 0 to 100, decayed to the current time. */
  readonly riskScore: number;
  readonly totalPolicyBlocks: number;
  readonly totalEscalations: number;
  readonly totalSpendNanoUsd: number;
  readonly persistentTaintFlags: readonly string[];
  readonly sessionCount: number;
  readonly quarantineActive: boolean;
}

/** See docs/sessions.md; without drift. */
export interface SessionFacts {
  readonly id: string;
  /** Unix ms. Distinguishes successive sessions of one name. 0 if read ahead and not yet open. */
  readonly createdAt: number;
  /** Undefined until a policy moves the session; the current policies define the initial state. */
  readonly state: string | undefined;
  readonly spendNanoUsd: number;
  /** Model calls in the session, including this one. */
  readonly steps: number;
  readonly taintFlags: readonly string[];
  readonly toolsCalled: readonly string[];
  /** Marks of earlier steps that policies need. */
  readonly marks: readonly string[];
  /** The session's own budget, from the first request that set one. */
  readonly budgetNanoUsd: number | undefined;
  /** Lifetime after the last use, also of the session's budget account. */
  readonly lifeMs: number;
}

/** See docs/sessions.md, `drift.*`. */
export interface DriftFacts {
  readonly driftDetected: boolean;
  /** 0 to 1. */
  readonly driftScore: number;
  readonly anchorSimilarity: number;
  readonly priorSimilarity: number;
  /** Includes the anchor and this turn. */
  readonly turnCount: number;
}

/** See docs/normalization.md. */
export interface PromptFacts {
  /** In the order of `RequestFacts.texts`. */
  readonly normalizedTexts: readonly string[];
  readonly obfuscation: Obfuscation;
}

/** A call, and the policy set that judges it. A request uses one set throughout. */
export interface JudgedCall {
  readonly set: PolicySet;
  readonly call: PolicyCall;
}
