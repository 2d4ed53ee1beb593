import { loadSeedWords } from '../../detectors/assets/seed-phrase.ts';
import { INITIAL_STATE, type PolicyCall, type TraceStep } from '../call.ts';
import { NO_DECISION, type Decision, type RuleHit } from '../decision.ts';
import { PolicyFilesError } from '../policy-files-error.ts';
import { needsQueries, createRuleFinder, fires, type ApplicableRules } from './applicable-rules.ts';
import { readCard } from './card-schema.ts';
import { compileRules, type CompiledRule } from './compile-card.ts';
import type { Scene, Truth } from './truth.ts';
import { compileFsm, type Fsm } from './fsm.ts';
import type { MaskRule } from './mask-rule.ts';
import { evidenceOf, type Evidence } from './evidence.ts';
import { filledReason } from './reason.ts';
import { createRuleModes, resolveOverrides, type RuleModes, type UnknownOverride } from './overrides.ts';
import type { RuleMode, RuleOverrides } from '../rule-modes.ts';
import { after, inTurns, type Awaitable, type Work } from '../../turns.ts';
import type { TraceMark } from './trace-marks.ts';
import { createTextQueries, type TextQueries } from './text-queries.ts';
import type { TextMatch } from './text-query.ts';

export interface CardFile {
  readonly name: string;
  readonly text: string;
  /** Presets never allow a call. */
  readonly isPreset: boolean;
}

export interface CardSet {
  /** If true, `policy.default_action` defaults to deny. */
  readonly canAllow: boolean;
  readonly initialState: string;
  /** Whether a rule reads the session's drift, which must then be measured. */
  readonly readsDrift: boolean;
  /** Whether a rule reads the agent's risk, which the agent's sessions share. */
  readonly readsRisk: boolean;
  /** Whether a rule searches call texts. */
  readonly readsPrompt: boolean;
  /** Whether a rule or transition judges model calls by their texts. */
  readonly judgesPrompts: boolean;
  readonly rules: readonly {
    readonly file: string;
    readonly names: readonly string[];
    readonly hasStates: boolean;
  }[];
  /** Rules that are not enforced for keys without overrides of their own. */
  readonly overridden: readonly { readonly file: string; readonly rule: string; readonly mode: RuleMode }[];
  /** Returns the key's overrides that would be ignored. */
  unknownOverrides(overrides: RuleOverrides): readonly UnknownOverride[];
  /**
   * Judges a call without side effects.
   * @throws Error if the call cannot be judged; the caller must deny it
   */
  decide(call: PolicyCall): Awaitable<Decision>;
  /** Returns the session's next state if the call is allowed, or undefined if the state stays the same. */
  nextState(call: PolicyCall): Promise<string | undefined>;
  masksFor(call: PolicyCall): readonly MaskRule[];
  /** Reports whether a rule needs earlier steps of this type. If not, `marksOf` need not be called. */
  needsSteps(type: TraceStep['type']): boolean;
  /** Returns the marks that the session stores for a step. */
  marksOf(step: TraceStep): Promise<readonly string[]>;
  explain(call: PolicyCall): Promise<readonly ExplainedRule[]>;
}

export interface ExplainedRule {
  readonly hit: RuleHit;
  readonly action: CompiledRule['action'];
  /** Rules that are `off` are not evaluated. */
  readonly mode: RuleMode;
  /** False if `match` excludes the call; its conditions are then not evaluated. */
  readonly applies: boolean;
  readonly fired: boolean;
  readonly conditions: readonly { readonly written: unknown; readonly truth: Truth }[];
  readonly evidence: readonly Evidence[];
}

/** Loads the word list for cards that search for seed phrases. Must be called before compiling the cards. */
export async function loadWordsFor(files: readonly CardFile[]): Promise<void> {
  if (files.some(({ text }) => text.includes('seed_phrase'))) await loadSeedWords();
}

/**
 * @param overrides modes of rules that are not enforced
 * @param mayMiss whether overrides may name rules of other cards
 * @throws PolicyFilesError with all errors in the cards, and overrides that match no rule or several
 */
export function createCardSet(
  files: readonly CardFile[],
  overrides: RuleOverrides = {},
  mayMiss = false,
): CardSet {
  const queries = createTextQueries();
  const { rules, fsm, fsmFile, problems } = compileCards(files, queries);
  const { modes, problems: unknown } = resolveOverrides(overrides, rules);
  const wrong = unknown.filter(({ isMissing }) => !mayMiss || !isMissing);
  problems.push(...wrong.map(({ name, problem }) => `policy.overrides: ${name} ${problem}`));
  if (problems.length > 0) throw new PolicyFilesError(problems.join('\n'));
  queries.compile();
  const marks = rules.flatMap((rule) => rule.marks);
  const modesFor = createRuleModes(rules, overrides);
  const rulesFor = createRuleFinder(rules, modesFor);

  function decide(call: PolicyCall): Awaitable<Decision> {
    const applicable = rulesFor(call);
    if (applicable.rules.length === 0) return NO_DECISION;
    return after(answersTo(queries, call, applicable), (found) => decideBy(call, applicable, found));
  }

  function decideBy(
    call: PolicyCall,
    applicable: ApplicableRules,
    found: ReadonlyMap<number, TextMatch>,
  ): Decision {
    const scene = sceneOf(call, found);
    const mayFire = found.size === 0 ? applicable.firingWithoutMatch : applicable.rules;
    return decisionOfFired(
      mayFire.filter((rule) => fires(rule, scene)).map((rule) => [rule, hitOf(rule, call, found)]),
      applicable.modes,
    );
  }

  return {
    canAllow: rules.some(({ action }) => action === 'allow'),
    initialState: fsm?.initialState ?? INITIAL_STATE,
    readsDrift: rules.some(({ readsDrift }) => readsDrift),
    readsRisk: rules.some(({ readsRisk }) => readsRisk),
    readsPrompt: rules.some(({ queries: needed }) => needed.length > 0),
    judgesPrompts:
      fsm?.readsPrompts === true ||
      rules.some(({ types, readsPrompt }) => readsPrompt && types?.has('llm_call') !== false),
    rules: files.map(({ name }) => ({
      file: name,
      names: rules.filter(({ hit }) => hit.file === name).map(({ hit }) => hit.rule),
      hasStates: name === fsmFile,
    })),
    overridden: rules.flatMap((rule) => {
      const mode = modes.get(rule) ?? 'enforce';
      return mode === 'enforce' ? [] : [{ file: rule.hit.file ?? '', rule: rule.hit.rule, mode }];
    }),
    unknownOverrides: (ofKey) => resolveOverrides(ofKey, rules).problems,
    decide,
    async nextState(call) {
      if (fsm === undefined) return undefined;
      const { taint } = fsm.readsFlags ? await decide(call) : NO_DECISION;
      const flags = new Set([
        ...Object.keys(call.input.session.taint_flags),
        ...taint.map(({ flag }) => flag),
      ]);
      return fsm.next(call, call.input.session.state || fsm.initialState, flags);
    },
    masksFor(call) {
      const { maskRules, allMasks } = rulesFor(call);
      if (maskRules !== undefined) return maskRules;
      const scene: Scene = { call, isFound: () => undefined };
      return allMasks.filter(({ test }) => test(scene) !== false);
    },
    needsSteps: (type) => marks.some(({ isOf }) => isOf(type)),
    marksOf: async (step) => inTurns(marksIn(step, marks)),
    async explain(call) {
      // Runs all queries, to show the state of every condition.
      const selected = new Set(rulesFor(call).rules.flatMap((rule) => rule.queries));
      const found = await queries.answer(call, selected);
      const scene = sceneOf(call, found);
      const modes = modesFor(call);
      return rules.map((rule) => explained(rule, modes.modeOf(rule), { call, scene, found }));
    },
  };
}

function compileCards(files: readonly CardFile[], queries: TextQueries) {
  const problems: string[] = [];
  const rules: CompiledRule[] = [];
  let fsm: Fsm | undefined;
  let fsmFile: string | undefined;
  for (const { name, text, isPreset } of files) {
    const read = readCard(name, text);
    if (!('card' in read)) {
      problems.push(...read);
      continue;
    }
    rules.push(...compileRules(read, { file: name, queries, isPreset }, problems));
    if (read.card.fsm === undefined) continue;
    if (fsm !== undefined) {
      problems.push(
        read.problem(['fsm'], `a session has only one state, and ${fsmFile ?? ''} already has an fsm`),
      );
    }
    fsm = compileFsm(read.card.fsm, read, queries, problems);
    fsmFile = name;
  }
  return { rules, fsm, fsmFile, problems };
}

function* marksIn(step: TraceStep, marks: readonly TraceMark[]): Work<readonly string[]> {
  const names = new Set<string>();
  for (const { name, matches } of marks) if (!names.has(name) && (yield* matches(step))) names.add(name);
  return [...names];
}

const NOTHING_FOUND: ReadonlyMap<number, TextMatch> = new Map();

function answersTo(
  queries: TextQueries,
  call: PolicyCall,
  { queries: always, undecided }: ApplicableRules,
): ReturnType<TextQueries['answer']> {
  const scene: Scene = { call, isFound: () => undefined };
  const more = undecided.filter((rule) => needsQueries(rule, scene));
  // Reuses the set if possible, because results are cached per set object.
  const selected = more.length === 0 ? always : new Set([...always, ...more.flatMap((rule) => rule.queries)]);
  return selected.size === 0 ? NOTHING_FOUND : queries.answer(call, selected);
}

function sceneOf(call: PolicyCall, found: ReadonlyMap<number, TextMatch>): Scene {
  return { call, isFound: (query) => found.has(query) };
}

function hitOf(rule: CompiledRule, call: PolicyCall, found: ReadonlyMap<number, TextMatch>): RuleHit {
  const { hit } = rule;
  const match = rule.quotesMatch
    ? rule.queries.map((query) => found.get(query)).find((match) => match !== undefined)
    : undefined;
  const evidence = found.size === 0 ? [] : evidenceOf(rule, call, found);
  return {
    ...hit,
    reason: filledReason(hit.reason, hit.rule, call, match),
    ...(evidence.length > 0 && { found: evidence.map(({ finding }) => finding) }),
  };
}

function decisionOfFired(fired: readonly (readonly [CompiledRule, RuleHit])[], modes: RuleModes): Decision {
  if (fired.length === 0) return NO_DECISION;
  const enforced = modes.isPlain ? fired : fired.filter(([rule]) => modes.modeOf(rule) === 'enforce');
  const of = (action: CompiledRule['action']): RuleHit[] =>
    enforced.flatMap(([rule, hit]) => (rule.action === action ? [hit] : []));
  return {
    quarantine: of('quarantine'),
    deny: of('deny'),
    escalate: of('escalate'),
    mask: of('mask'),
    taint: enforced.flatMap(([rule, hit]) => (rule.action === 'taint' ? [{ ...hit, flag: rule.flag }] : [])),
    allow: of('allow'),
    ...(enforced.length < fired.length && {
      reported: fired.flatMap(([rule, hit]) =>
        modes.modeOf(rule) === 'report' ? [{ ...hit, action: rule.action }] : [],
      ),
    }),
  };
}

function explained(
  rule: CompiledRule,
  mode: RuleMode,
  {
    call,
    scene,
    found,
  }: { readonly call: PolicyCall; readonly scene: Scene; readonly found: ReadonlyMap<number, TextMatch> },
): ExplainedRule {
  const { action } = rule;
  const applies = rule.types?.has(call.input.request.method) !== false && rule.appliesTo(call);
  if (!applies || mode === 'off')
    return { hit: rule.hit, action, mode, applies, fired: false, conditions: [], evidence: [] };
  return {
    hit: hitOf(rule, call, found),
    action,
    mode,
    applies,
    fired: fires(rule, scene),
    conditions: rule.conditions.map(({ written, test }) => ({ written, truth: test(scene) })),
    evidence: evidenceOf(rule, call, found),
  };
}
