import type { PolicyCall } from '../call.ts';
import type { Decision } from '../decision.ts';
import { startRegoEngine, type RegoEngineOptions } from './engine.ts';
import { decisionOf } from './rego-decision.ts';
import { RegoFilesError } from './rego-error.ts';
import type { RegoFacts, RegoFile } from './thread-messages.ts';

/** docs/policies.md. */
export const POLICY_PACKAGE = 'gateway.policy';
/** Rules that a set may have and that only cards can carry out: to ignore them would only seem to protect. */
const UNSUPPORTED = ['mask'];

/** A platform team's Rego files, compiled. */
export interface RegoSet {
  /** Some file has a rule `allow`. */
  readonly canAllow: boolean;
  /** Some rule reads `input.session.drift`. */
  readonly readsDrift: boolean;
  /** Some rule reads `input.agent_risk`. */
  readonly readsRisk: boolean;
  /** Some rule reads `input.action`, and so the prompt. */
  readonly readsPrompt: boolean;
  readonly facts: RegoFacts;
  /**
   * @param initialState of a session that no policy has moved
   * @throws RegoEvaluationError where it could not be judged: whoever asks denies
   */
  decide(call: PolicyCall, initialState: string): Promise<Decision>;
  close(): Promise<void>;
}

/** @throws RegoFilesError with every error of its files */
export async function createRegoSet(
  files: readonly RegoFile[],
  options: RegoEngineOptions,
): Promise<RegoSet> {
  const engine = await startRegoEngine(files, options);
  const { facts } = engine;
  const trouble = troubleOf(facts);
  if (trouble.length > 0) {
    await engine.close();
    throw new RegoFilesError(trouble);
  }
  // The prompt is put together only for who reads it.
  const withPrompt = reads(facts, ['action']);
  return {
    canAllow: facts.rules.some(
      ({ package: name, name: rule }) => name === POLICY_PACKAGE && rule === 'allow',
    ),
    readsDrift: reads(facts, ['session', 'drift']),
    readsRisk: reads(facts, ['agent_risk']),
    readsPrompt: withPrompt,
    facts,
    decide: async (call, initialState) =>
      decisionOf(await engine.evaluate(inputJson(call, withPrompt, initialState))),
    close: () => engine.close(),
  };
}

function inputJson({ input, action }: PolicyCall, withPrompt: boolean, initialState: string): string {
  const session = input.session.state === '' ? { ...input.session, state: initialState } : input.session;
  return JSON.stringify({ ...input, session, ...(withPrompt && { action: action() }) });
}

/** Whether some rule reads what stands at a path of the input, above it or below it. */
function reads({ inputs }: RegoFacts, path: readonly string[]): boolean {
  return inputs.some((read) => path.every((step, index) => index >= read.length || read[index] === step));
}

function troubleOf({ rules }: RegoFacts) {
  const ours = rules.filter((rule) => rule.package === POLICY_PACKAGE);
  // A misspelt package would load, and protect nobody.
  if (ours.length === 0)
    return [{ code: 'gateway_error', message: `no file has a rule in package ${POLICY_PACKAGE}` }];
  return ours
    .filter(({ name }) => UNSUPPORTED.includes(name))
    .map(({ name, file, row }) => ({
      code: 'gateway_error',
      message: `rules named "${name}" are for cards (action: mask): Rego tells no place in a text`,
      file,
      row,
    }));
}
