import { addAll } from '../../add-all.ts';
import { loadPolicies, PATIENT_ENGINE, shownIn } from '../load-policies.ts';
import { PolicyFilesError } from '../policy-files-error.ts';
import { RegoFilesError } from '../rego/rego-error.ts';
import type { TrustSettings } from '../trust.ts';
import { defaultActionOf, type DefaultAction } from '../decision.ts';
import { readCardTests, runCardTests } from './card-tests.ts';
import type { GatheredTests } from './gather-tests.ts';
import { runRegoTests } from './rego-tests.ts';
import type { TestResult } from './test-result.ts';

/** @throws PolicyFilesError with all errors if policies or tests are invalid */
export async function runTests(
  tests: GatheredTests,
  written: DefaultAction | undefined,
  trust: TrustSettings,
): Promise<readonly TestResult[]> {
  const cases = readAllCardTests(tests.cards);
  return [...(await regoResults(tests)), ...(await cardResults(tests, cases, written, trust))];
}

type CardTests = ReturnType<typeof readCardTests>;

function readAllCardTests(cards: GatheredTests['cards']): readonly CardTests[] {
  const problems: string[] = [];
  const read = cards.flatMap(({ name, text }) => {
    try {
      return [readCardTests(name, text)];
    } catch (failure) {
      if (!(failure instanceof PolicyFilesError)) throw failure;
      problems.push(failure.message);
      return [];
    }
  });
  if (problems.length > 0) throw new PolicyFilesError(problems.join('\n'));
  return read;
}

async function regoResults({ files, rego }: GatheredTests): Promise<readonly TestResult[]> {
  if (rego.length === 0) return [];
  const all = [...files.rego, ...rego];
  const tests = new Set(rego.map(({ name }) => name));
  try {
    return await runRegoTests(all, (file) => tests.has(file), PATIENT_ENGINE);
  } catch (failure) {
    if (!(failure instanceof RegoFilesError)) throw failure;
    throw new PolicyFilesError(failure.failures.map((error) => shownIn(error, all)).join('\n'), {
      cause: failure,
    });
  }
}

/** Loads the policies even without card tests, so that invalid ones are reported. */
async function cardResults(
  { files }: GatheredTests,
  tests: readonly CardTests[],
  written: DefaultAction | undefined,
  trust: TrustSettings,
): Promise<readonly TestResult[]> {
  const { set } = await loadPolicies(files);
  try {
    const defaultAction = defaultActionOf(written, set.canAllow);
    const results: TestResult[] = [];
    for (const test of tests) addAll(results, await runCardTests(test, { set, defaultAction, trust }));
    return results;
  } finally {
    await set.close();
  }
}
