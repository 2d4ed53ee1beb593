import type { CardSet } from './cards/card-set.ts';
import type { MaskRule } from './cards/mask-rule.ts';
import type { PolicyCall, TraceStep } from './call.ts';
import { merged, type Decision } from './decision.ts';
import type { RegoSet } from './rego/rego-set.ts';
import type { Awaitable } from '../turns.ts';

/** All policies in force; immutable. */
export interface PolicySet {
  /** Identifies the set in records. */
  readonly digest: string;
  /** Whether a source can allow calls. If so, `policy.default_action` defaults to deny. */
  readonly canAllow: boolean;
  readonly initialState: string;
  /** Whether a rule reads the session's drift, which must then be measured. */
  readonly readsDrift: boolean;
  /** Whether a rule reads the agent's risk, which its sessions share. */
  readonly readsRisk: boolean;
  /** Whether a rule judges model calls by their texts. */
  readonly judgesPrompts: boolean;
  /**
   * Judges a call without side effects.
   * @throws Error if it cannot be judged; the caller denies
   */
  decide(call: PolicyCall): Awaitable<Decision>;
  /** Returns the next state of the session if the call is allowed; undefined if the state stays the same. */
  nextState(call: PolicyCall): Promise<string | undefined>;
  masksFor(call: PolicyCall): readonly MaskRule[];
  /** Reports whether a rule needs earlier steps of this type. If not, `marksOf` need not be called. */
  needsSteps(type: TraceStep['type']): boolean;
  /** Returns the marks by which the session remembers a step. */
  marksOf(step: TraceStep): Promise<readonly string[]>;
  close(): Promise<void>;
}

export function policySetOf(digest: string, cards: CardSet, rego: RegoSet | undefined): PolicySet {
  return {
    digest,
    canAllow: cards.canAllow || rego?.canAllow === true,
    initialState: cards.initialState,
    readsDrift: cards.readsDrift || rego?.readsDrift === true,
    readsRisk: cards.readsRisk || rego?.readsRisk === true,
    judgesPrompts: cards.judgesPrompts || rego?.readsPrompt === true,
    decide: rego === undefined ? cards.decide : (call) => decideByBoth(call, cards, rego),
    nextState: (call) => cards.nextState(call),
    masksFor: (call) => cards.masksFor(call),
    needsSteps: (type) => cards.needsSteps(type),
    marksOf: (step) => cards.marksOf(step),
    close: async () => rego?.close(),
  };
}

/** Always runs both engines: records name every rule that fired. */
async function decideByBoth(call: PolicyCall, cards: CardSet, rego: RegoSet): Promise<Decision> {
  const byCards = async (): Promise<Decision> => cards.decide(call);
  const [fromRego, fromCards] = await Promise.all([rego.decide(call, cards.initialState), byCards()]);
  return merged(fromCards, fromRego);
}
