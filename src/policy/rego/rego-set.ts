import type { PolicyCall } from '../call.ts';
import { type Decision, NO_DECISION, type RuleHit, type TaintHit } from '../decision.ts';
import { startRegoEngine, type RegoEngineOptions } from './engine.ts';
import { POLICY_PACKAGE } from './engine-thread.ts';
import { RegoFilesError } from './rego-error.ts';
import type { RegoFacts, RegoFile } from './thread-messages.ts';
import { inTurns, type Work } from '../../turns.ts';
import { isObject } from '../../json/is-object.ts';
import { injectionClassifier } from '../../detectors/learned/injection.ts';
import { slicesOf } from '../../detectors/slices.ts';
import { isTrusted } from '../trust.ts';

/** Rules that only cards support. They are refused, because silently ignoring them would suggest protection. */
const UNSUPPORTED = ['mask'];

export interface RegoSet {
  readonly canAllow: boolean;
  readonly readsDrift: boolean;
  readonly readsRisk: boolean;
  /** Whether a rule reads `input.action`, and therefore the prompt. */
  readonly readsPrompt: boolean;
  readonly facts: RegoFacts;
  /**
   * @param initialState state of sessions without a transition
   * @throws RegoEvaluationError if the call cannot be judged; the caller denies
   */
  decide(call: PolicyCall, initialState: string): Promise<Decision>;
  close(): Promise<void>;
}

/** @throws RegoFilesError with all errors in the files, or RegoEvaluationError if the engine cannot compile them */
export async function createRegoSet(
  files: readonly RegoFile[],
  options: RegoEngineOptions,
): Promise<RegoSet> {
  const engine = await startRegoEngine(files, options);
  const { facts } = engine;
  const problems = policyProblems(facts);
  if (problems.length > 0) {
    await engine.close();
    throw new RegoFilesError(problems);
  }
  // The prompt is built only for policies that read it.
  const withPrompt = reads(facts, ['action']);
  const withScore = reads(facts, ['action', 'injection_score']);
  return {
    canAllow: facts.rules.some(
      ({ package: name, name: rule }) => name === POLICY_PACKAGE && rule === 'allow',
    ),
    readsDrift: reads(facts, ['session', 'drift']),
    readsRisk: reads(facts, ['agent_risk']),
    readsPrompt: withPrompt,
    facts,
    async decide(call, initialState) {
      const score = withScore ? (call.injectionScore ?? (await inTurns(injectionScore(call)))) : undefined;
      const action = withPrompt ? { ...call.action(), injection_score: score } : undefined;
      return decisionOf(
        await engine.evaluate(inputJson(call, action, initialState), call.input.agent.key_hash),
      );
    },
    close: () => engine.close(),
  };
}

function inputJson({ input }: PolicyCall, action: object | undefined, initialState: string): string {
  const session = input.session.state === '' ? { ...input.session, state: initialState } : input.session;
  return JSON.stringify({ ...input, session, action });
}

/** Reports whether a rule reads an input path, or an ancestor or descendant of it. */
function reads({ inputs }: RegoFacts, path: readonly string[]): boolean {
  return inputs.some((read) => path.every((step, index) => index >= read.length || read[index] === step));
}

function policyProblems({ rules }: RegoFacts) {
  const policyRules = rules.filter((rule) => rule.package === POLICY_PACKAGE);
  // A package with a misspelled name would load but protect nothing.
  if (policyRules.length === 0)
    return [{ code: 'gateway_error', message: `no file has a rule in package ${POLICY_PACKAGE}` }];
  return policyRules
    .filter(({ name }) => UNSUPPORTED.includes(name))
    .map(({ name, file, row }) => ({
      code: 'gateway_error',
      message: `rules named "${name}" are for cards (action: mask): Rego results have no positions in texts`,
      file,
      row,
    }));
}

/** Limit per rule name. More reasons indicate a faulty policy. */
const MAX_REASONS = 64;
const UNNAMED = 'a policy rule';

/**
 * A restricting rule fires unless it is undefined, an empty set or object, false or null, even if its value is not a
 * set of strings (`deny = true`, an object, a number). `allow` must be true.
 */
export function decisionOf(document: unknown): Decision {
  if (document === undefined) return NO_DECISION;
  const rules: Readonly<Record<string, unknown>> = isObject(document) ? document : { deny: document };
  const hits = (rule: string): RuleHit[] => reasonTexts(rules[rule]).map((reason) => ({ rule, reason }));
  return {
    ...NO_DECISION,
    quarantine: hits('quarantine'),
    deny: hits('deny'),
    escalate: hits('escalate'),
    taint: hits('taint').map((hit): TaintHit => ({ ...hit, flag: hit.reason })),
    allow: rules['allow'] === true ? [{ rule: 'allow', reason: '' }] : [],
  };
}

function reasonTexts(rule: unknown): string[] {
  if (rule === undefined || rule === false || rule === null) return [];
  if (Array.isArray(rule)) return rule.slice(0, MAX_REASONS).map(reasonText);
  // `deny["reason"] = true`, and other objects. Their keys are the reasons.
  if (isObject(rule)) return Object.keys(rule).slice(0, MAX_REASONS);
  return [reasonText(rule)];
}

function reasonText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return UNNAMED;
  const text = value['msg'] ?? value['reason'] ?? value['message'];
  return typeof text === 'string' ? text : UNNAMED;
}

/** Returns the highest score of a call's texts, except trusted instructions and the agent's own texts. */
function* injectionScore({ texts, trust }: PolicyCall): Work<number> {
  const classifier = injectionClassifier();
  let highest = 0;
  for (const { raw, normalized, role, isOwn } of texts) {
    if (isOwn === true) continue;
    if (role !== undefined && isTrusted(role, trust, undefined)) continue;
    for (const form of raw === normalized ? [raw] : [raw, normalized]) {
      for (const { start, end } of slicesOf(form)) {
        yield end - start;
        highest = Math.max(highest, classifier.judge(form.slice(start, end)).score);
      }
    }
  }
  return highest;
}
