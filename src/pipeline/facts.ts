import type { Obfuscation } from '../normalize/normalized.ts';
import type { PolicyCall } from '../policy/call.ts';
import type { PolicySet } from '../policy/policy-set.ts';

/**
 * What one check learns and another judges by, named as the policy input (docs/policies.md). Not a bag: no fact without a
 * writer and a reader, which their entries declare. One object an exchange: undefined is what nobody has looked at, null
 * what was looked for and is not there.
 */
export interface Facts {
  /** Written by auth/authenticate, from what Redis said at the request headers. */
  readonly agentRisk: AgentRisk;
  /** Written by the session check; null where the request is no step of a session. */
  session: SessionFacts | null | undefined;
  /**
   * Written by the session check: what is known of the session was read ahead, at the headers, and is confirmed when the
   * request is admitted. Until then nothing but passing may come of it: throw `JudgeAgain` first.
   */
  isReadAhead?: boolean;
  /** Written by the drift check; null where it is not measured. */
  drift: DriftFacts | null | undefined;
  /** Written by the normalization check; emptied once forwarded, as the body is. */
  prompt: PromptFacts | undefined;
  /** Written by the policy check, of what policies judge; emptied once forwarded, as the body is. */
  judged: JudgedCall | undefined;
  /**
   * Written by the policy-state check, of a call in a session that another call has moved since: what was masked before
   * stays masked.
   */
  judgedAgain?: JudgedCall | undefined;
  /** Written by the policy check: why this call was escalated and approved, should it be judged again. */
  approvedRules?: ReadonlySet<string>;
}

export type FactName = keyof Facts;

/** The facts of an exchange at which no check has looked. */
export function newFacts(agentRisk: AgentRisk): Facts {
  return { agentRisk, session: undefined, drift: undefined, prompt: undefined, judged: undefined };
}

/**
 * A fact, to be judged by.
 * @throws Error where nobody has looked at it: a request is refused rather than judged as if nothing had been found
 */
export function writtenFact<Name extends 'session' | 'drift' | 'prompt'>(
  facts: Facts,
  name: Name,
): Exclude<Facts[Name], undefined> {
  const fact: Facts[Name] = facts[name];
  if (fact === undefined) throw new Error(`nobody has written the fact ${name}, by which a call is judged`);
  return fact as Exclude<Facts[Name], undefined>;
}

/** docs/risk.md. */
export interface AgentRisk {
  /** 0 to 100, decayed as of now. */
  readonly riskScore: number;
  readonly totalPolicyBlocks: number;
  readonly totalEscalations: number;
  readonly totalSpendNanoUsd: number;
  readonly persistentTaintFlags: readonly string[];
  readonly sessionCount: number;
  readonly quarantineActive: boolean;
}

/** docs/sessions.md, without drift. */
export interface SessionFacts {
  readonly id: string;
  /** Unix ms; tells this session from an ended one of the same name. 0 where it is read ahead, and not open yet. */
  readonly createdAt: number;
  /** Undefined until a policy moves it: the policies in force say in which state a session begins. */
  readonly state: string | undefined;
  readonly spendNanoUsd: number;
  /** Calls of models made in the session, this one included. */
  readonly steps: number;
  readonly taintFlags: readonly string[];
  readonly toolsCalled: readonly string[];
  /** What policies want to know again of the session's earlier steps. */
  readonly marks: readonly string[];
  /** The session's own budget, from its first request that named one; the budget check reserves in it. */
  readonly budgetNanoUsd: number | undefined;
  /** How long it lives from its last use, and its account in the budget with it. */
  readonly lifeMs: number;
}

/** docs/sessions.md, `drift.*`. */
export interface DriftFacts {
  readonly driftDetected: boolean;
  /** 0 to 1. */
  readonly driftScore: number;
  readonly anchorSimilarity: number;
  readonly priorSimilarity: number;
  /** The anchor and this turn included. */
  readonly turnCount: number;
}

/** docs/normalization.md. */
export interface PromptFacts {
  /** One for each of `RequestFacts.texts`, in order. */
  readonly normalizedTexts: readonly string[];
  readonly obfuscation: Obfuscation;
}

/** What the policies were asked, and the set that answered: one request has to do with one set alone. */
export interface JudgedCall {
  readonly set: PolicySet;
  readonly call: PolicyCall;
}
