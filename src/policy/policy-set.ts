import { decisionOf, type Decision } from './decision.ts';
import type { PolicyFiles } from './policy-files.ts';
import { startRegoEngine, type RegoEngineOptions } from './rego/engine.ts';
import { RegoFilesError } from './rego/rego-error.ts';
import type { RegoFacts } from './rego/thread-messages.ts';

const PACKAGE = 'gateway.policy';
/** Rules that a set may have and this version cannot carry out: to ignore them would only seem to protect. */
const UNSUPPORTED = ['mask'];

/** All policies that are in force together: made once, never changed. */
export interface PolicySet {
  readonly digest: string;
  /** A source of it can allow a call, so what nothing allows is denied unless `policy.default_action` says else. */
  readonly canAllow: boolean;
  /** Some rule reads `input.action`, the prompt: only then it is put together. */
  readonly readsPrompt: boolean;
  /**
   * Judges a policy input, as JSON.
   *
   * @throws RegoEvaluationError where it could not be judged: whoever asks denies
   */
  decide(input: string): Promise<Decision>;
  close(): Promise<void>;
}

/**
 * Compiles a set.
 *
 * @throws RegoFilesError with every error of its files
 */
export async function createPolicySet(files: PolicyFiles, options: RegoEngineOptions): Promise<PolicySet> {
  const engine = await startRegoEngine(files.rego, options);
  const { facts } = engine;
  if (!facts.rules.some((rule) => rule.package === PACKAGE)) {
    await engine.close();
    throw new RegoFilesError([nothingToJudgeBy()]);
  }
  const unsupported = facts.rules.filter(
    (rule) => rule.package === PACKAGE && UNSUPPORTED.includes(rule.name),
  );
  if (unsupported.length > 0) {
    await engine.close();
    throw new RegoFilesError(unsupported.map(({ name, file, row }) => notSupported(name, file, row)));
  }
  return {
    digest: files.digest,
    canAllow: facts.rules.some(({ package: name, name: rule }) => name === PACKAGE && rule === 'allow'),
    readsPrompt: readsPrompt(facts),
    decide: async (input) => decisionOf(await engine.evaluate(input)),
    close: () => engine.close(),
  };
}

function readsPrompt({ inputs }: RegoFacts): boolean {
  return inputs.some(([first]) => first === undefined || first === 'action');
}

/** A misspelt package would load, and protect nobody. */
function nothingToJudgeBy() {
  return { code: 'gateway_error', message: `no file has a rule in package ${PACKAGE}` };
}

function notSupported(rule: string, file: string, row: number) {
  return {
    code: 'gateway_error',
    message: `rules named "${rule}" are not carried out by this version`,
    file,
    row,
  };
}
