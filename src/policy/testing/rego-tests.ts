import { startEngineThread, type EngineThread, type ThreadLimits } from '../rego/engine-thread.ts';
import { RegoEvaluationError } from '../rego/rego-error.ts';
import type { RegoFacts, RegoFile } from '../rego/thread-messages.ts';
import type { TestResult } from './test-result.ts';

type Rule = RegoFacts['rules'][number];

const TEST = /^test_/;
const TODO = /^todo_test_/;
/** Query for the first compilation, which only finds the tests. */
const NO_QUERY = 'decision = true';
const NO_INPUT = '';

/**
 * Runs Rego tests as OPA does: `test_…` passes if it is true, `todo_test_…` is skipped, and a rule with cases
 * (`test_x[name]`) passes if all are true.
 * @param isTest selects test files; rules of other files are not run as tests
 * @throws RegoFilesError if the files do not compile
 */
export async function runRegoTests(
  files: readonly RegoFile[],
  isTest: (file: string) => boolean,
  limits: ThreadLimits,
): Promise<readonly TestResult[]> {
  const rules = await rulesInFiles(files, limits);
  const ours = rules.filter(({ file }) => isTest(file));
  const tests = unique(ours.filter(({ name }) => TEST.test(name)));
  const outcomes = await runAll(tests, files, limits);
  return [
    ...tests.map((rule, index) => ({ ...testPlace(rule), ...(outcomes[index] ?? FAILED) })),
    ...unique(ours.filter(({ name }) => TODO.test(name))).map((rule) => ({
      ...testPlace(rule),
      outcome: 'skip' as const,
    })),
  ].toSorted((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
}

async function rulesInFiles(files: readonly RegoFile[], limits: ThreadLimits): Promise<readonly Rule[]> {
  const thread = await startEngineThread(files, limits, NO_QUERY);
  await thread.end();
  return thread.facts.rules;
}

/** Keeps one rule per name, because a rule may have several bodies. */
function unique(rules: readonly Rule[]): readonly Rule[] {
  return [...new Map(rules.toReversed().map((rule) => [ruleName(rule), rule])).values()].toReversed();
}

type Outcome = Pick<TestResult, 'outcome' | 'detail'>;
const FAILED: Outcome = { outcome: 'fail' };

/** Evaluates all tests together, compiling once. If a test breaks the engine, evaluates each half separately. */
async function runAll(
  tests: readonly Rule[],
  files: readonly RegoFile[],
  limits: ThreadLimits,
): Promise<readonly Outcome[]> {
  if (tests.length === 0) return [];
  try {
    return outcomesOf(tests, await evaluateTests(tests, files, limits));
  } catch (failure) {
    if (!(failure instanceof RegoEvaluationError)) throw failure;
    if (tests.length === 1) return [{ outcome: 'error', detail: failure.message }];
    const half = Math.ceil(tests.length / 2);
    return [
      ...(await runAll(tests.slice(0, half), files, limits)),
      ...(await runAll(tests.slice(half), files, limits)),
    ];
  }
}

async function evaluateTests(
  tests: readonly Rule[],
  files: readonly RegoFile[],
  limits: ThreadLimits,
): Promise<unknown> {
  // One array per test, empty if the rule is undefined.
  const parts = tests.map((rule) => `[value | value := ${refOf(rule)}]`);
  let thread: EngineThread | undefined;
  try {
    thread = await startEngineThread(files, limits, `decision = [${parts.join(', ')}]`);
    return await thread.evaluate(NO_INPUT);
  } finally {
    await thread?.end();
  }
}

function outcomesOf(tests: readonly Rule[], values: unknown): readonly Outcome[] {
  const lists = Array.isArray(values) ? (values as unknown[]) : [];
  return tests.map((_, index) => {
    const list = lists[index];
    const value: unknown = Array.isArray(list) ? list[0] : undefined;
    if (value === true) return { outcome: 'pass' };
    const failed = failedCases(value);
    if (failed === undefined)
      return {
        outcome: 'fail',
        detail: value === undefined || value === false ? 'is not true' : 'is neither true nor false',
      };
    return failed.length === 0
      ? { outcome: 'pass' }
      : { outcome: 'fail', detail: `not true: ${failed.join(', ')}` };
  });
}

function failedCases(value: unknown): string[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const cases = Object.entries(value);
  return cases.length === 0
    ? undefined
    : cases.filter(([, value]) => value !== true && failedCases(value)?.length !== 0).map(([name]) => name);
}

/** Returns a reference such as `data.gateway.policy_test.test_x`. The engine returns both parts in Rego syntax. */
function refOf(rule: Rule): string {
  return `data.${ruleName(rule)}`;
}

function ruleName({ package: where, name }: Rule): string {
  return `${where}.${name}`;
}

function testPlace(rule: Rule): Pick<TestResult, 'name' | 'file' | 'line'> {
  return { name: refOf(rule), file: rule.file, line: rule.row };
}
