import type { CardSet } from './cards/card-set.ts';
import type { PolicyCall } from './call.ts';
import { merged, type Decision } from './decision.ts';
import type { RegoSet } from './rego/rego-set.ts';

/** All policies in effect, cards and Rego files. Immutable. */
export interface PolicySet extends Omit<
  CardSet,
  'readsPrompt' | 'rules' | 'overridden' | 'unknownOverrides' | 'explain'
> {
  readonly digest: string;
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

/** Always runs both engines, because audit records name every rule that fired. */
async function decideByBoth(call: PolicyCall, cards: CardSet, rego: RegoSet): Promise<Decision> {
  const byCards = async (): Promise<Decision> => cards.decide(call);
  const [fromRego, fromCards] = await Promise.all([rego.decide(call, cards.initialState), byCards()]);
  return merged(fromCards, fromRego);
}
