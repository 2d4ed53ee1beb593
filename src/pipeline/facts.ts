import type { Obfuscation } from '../normalize/normalize.ts';
import type { PolicyCall } from '../policy/call.ts';
import type { PolicySet } from '../policy/policy-set.ts';

/**
 * Facts that one check determines and others use, named as in the policy input (docs/policies.md). Check entries
 * declare which facts they read and write. There is one object per exchange. A fact is undefined if it was not
 * determined, and null if it does not apply.
 */
export interface Facts {
  /** Written by auth/authenticate. Read from Redis when the request headers arrive. */
  readonly agentRisk: AgentRisk;
  /** Written by the session check; null if the request is not a session step. */
  session: SessionFacts | null | undefined;
  /** Written by the session check: data read ahead is unconfirmed. Only a pass is then allowed (`StaleRead`). */
  isReadAhead?: boolean;
  /** Written by the hosted-tools check: models that provider tools run, in addition to the request's models. */
  toolModels?: readonly string[];
  /** Written by the drift check; null if not measured. */
  drift: DriftFacts | null | undefined;
  /** Written by the normalization check; emptied once forwarded, like the body. */
  prompt: PromptFacts | undefined;
  /** Written by the DLP check if it found nothing: all scanned texts. Emptied once forwarded. */
  searched?: readonly string[] | undefined;
  /** Written by the policy check; emptied once forwarded, like the body. */
  judged: JudgedCall | undefined;
  /** Written by the policy-state check if the session has changed state. The first judgement's masks still apply. */
  judgedAgain?: JudgedCall | undefined;
  /** Written by the policy check: rules whose escalation was approved, kept in case the call is judged again. */
  approvedRules?: ReadonlySet<string>;
}

export type FactName = keyof Facts;

export function newFacts(agentRisk: AgentRisk): Facts {
  return { agentRisk, session: undefined, drift: undefined, prompt: undefined, judged: undefined };
}

/** Returns a fact. Throws if no check has written it, because a missing fact must not count as harmless. */
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

/** See docs/sessions.md. Excludes drift (`DriftFacts`). */
export interface SessionFacts {
  readonly id: string;
  /** Unix ms; 0 if read ahead and not open yet. Distinguishes successive sessions with the same id. */
  readonly createdAt: number;
  /** Undefined until a policy moves the session; the current policies define the initial state. */
  readonly state: string | undefined;
  readonly spendNanoUsd: number;
  /** Model calls in the session, including this one. */
  readonly steps: number;
  readonly taintFlags: readonly string[];
  readonly toolsCalled: readonly string[];
  /** Marks from earlier steps that policies need. */
  readonly marks: readonly string[];
  /** The session's own budget, from the first request that set one. */
  readonly budgetNanoUsd: number | undefined;
  /** Lifetime after the last use of the session and of its budget account. */
  readonly lifeMs: number;
}

/** See docs/drift.md. */
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
