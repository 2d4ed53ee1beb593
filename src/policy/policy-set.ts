import { createCardSet, loadWordsFor, type CardSet } from './cards/card-set.ts';
import type { MaskRule } from './cards/mask-rule.ts';
import type { PolicyCall, TraceStep } from './call.ts';
import { merged, type Decision } from './decision.ts';
import type { PolicyFiles } from './policy-files.ts';
import { createRegoSet, type RegoSet } from './rego/rego-set.ts';
import type { RegoEngineOptions } from './rego/engine.ts';
import type { Awaitable } from '../turns.ts';

/** All policies that are in force together: made once, never changed. */
export interface PolicySet {
  /** Names the set in records. */
  readonly digest: string;
  /** A source of it can allow a call, so what nothing allows is denied unless `policy.default_action` says else. */
  readonly canAllow: boolean;
  /** The state in which a session begins. */
  readonly initialState: string;
  /** Some rule asks for the session's drift, which must be measured for it. */
  readonly readsDrift: boolean;
  /** Some rule asks for the agent's risk, which all its sessions share. */
  readonly readsRisk: boolean;
  /** Some rule judges a model's call by its texts. */
  readonly judgesPrompts: boolean;
  /**
   * Judges a call; changes nothing.
   *
   * @throws Error where it could not be judged: whoever asks denies
   */
  decide(call: PolicyCall): Awaitable<Decision>;
  /** The state to which a call that is allowed moves its session; undefined where it stays. */
  nextState(call: PolicyCall): Promise<string | undefined>;
  /** Rules that take something out of this call and of what answers it. */
  masksFor(call: PolicyCall): readonly MaskRule[];
  /** Some rule asks for earlier steps of this type (`contains_matching_trace`): only then `marksOf` is asked. */
  looksFor(type: TraceStep['type']): boolean;
  /** Names under which the session remembers such a step, for the rules that ask for it. */
  marksOf(step: TraceStep): Promise<readonly string[]>;
  close(): Promise<void>;
}

/**
 * Compiles a set.
 *
 * @throws PolicyFilesError with every error of its cards
 * @throws RegoFilesError with every error of its Rego files
 */
export async function createPolicySet(files: PolicyFiles, options: RegoEngineOptions): Promise<PolicySet> {
  await loadWordsFor(files.cards);
  const cards = createCardSet(files.cards, files.overrides, files.overridesMayMiss);
  const rego = files.rego.length === 0 ? undefined : await createRegoSet(files.rego, options);
  return policySetOf(files.digest, cards, rego);
}

/** What both engines have compiled, as one set. */
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
    looksFor: (type) => cards.looksFor(type),
    marksOf: (step) => cards.marksOf(step),
    close: async () => rego?.close(),
  };
}

/** Both are asked whatever the first says: records name every rule that fired. */
async function decideByBoth(call: PolicyCall, cards: CardSet, rego: RegoSet): Promise<Decision> {
  const byCards = async (): Promise<Decision> => cards.decide(call);
  const [fromRego, fromCards] = await Promise.all([rego.decide(call, cards.initialState), byCards()]);
  return merged(fromCards, fromRego);
}
