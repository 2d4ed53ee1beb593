import { readCallJson } from './policy/call-from-json.ts';
import { deadCards, sessionStates } from './policy/cards/dead-cards.ts';
import { deadRego } from './policy/dead-rego.ts';
import { createCardSet } from './policy/cards/card-set.ts';
import { describeSet, type SetDescription } from './policy/describe-set.ts';
import { explainCall, type Explanation } from './policy/explain-call.ts';
import { loadPolicies, type LoadedPolicies } from './policy/load-policies.ts';
import { PolicyFilesError } from './policy/policy-files-error.ts';
import type { RuleOverrides } from './policy/rule-modes.ts';
import { readPolicyFiles, type PolicySources } from './policy/policy-files.ts';
import { gatherTests } from './policy/testing/gather-tests.ts';
import { runTests } from './policy/testing/run-tests.ts';
import type { TestResult } from './policy/testing/test-result.ts';
import type { TrustSettings } from './policy/trust.ts';
import type { DefaultAction } from './policy/decision.ts';
import { readInputText } from './scan/lines.ts';

export interface PolicyChoice {
  readonly sources: PolicySources;
  readonly defaultAction: DefaultAction | undefined;
  readonly trust: TrustSettings;
}

/** @throws PolicyFilesError with the errors of all files */
export async function checkPolicies({ sources, defaultAction }: PolicyChoice): Promise<SetDescription> {
  return withPolicies(sources, async (loaded) => {
    const set = describeSet(loaded, defaultAction);
    const { files, rego } = loaded;
    const regoWarnings =
      rego === undefined ? [] : await deadRego(files.rego, rego.facts, sessionStates(files.cards));
    return { ...set, warnings: [...set.warnings, ...deadCards(files.cards), ...regoWarnings] };
  });
}

/** @throws CallJsonError | PolicyFilesError | RegoEvaluationError */
export async function explainInput(
  { sources, defaultAction, trust }: PolicyChoice,
  bytes: AsyncIterable<Uint8Array>,
  name: string,
): Promise<Explanation> {
  const call = await readCallJson(await readInputText(bytes, name), name, trust);
  return withPolicies(sources, (loaded) => explainCall(loaded, call, defaultAction));
}

/** @throws PolicyFilesError if policies or tests cannot be read */
export async function testPolicies(
  { sources, defaultAction, trust }: PolicyChoice,
  paths: readonly string[],
  isChosen: boolean,
): Promise<readonly TestResult[]> {
  return runTests(await gatherTests(paths, sources, isChosen), defaultAction, trust);
}

export async function testedPolicies(
  { sources, defaultAction }: PolicyChoice,
  paths: readonly string[],
  isChosen: boolean,
): Promise<SetDescription['files']> {
  const { files } = await gatherTests(paths, sources, isChosen);
  const loaded = await loadPolicies(files);
  await loaded.set.close();
  return describeSet(loaded, defaultAction).files;
}

/**
 * Returns problems with overrides, or an empty list if the policies cannot be loaded, which `checkPolicies` reports.
 */
export async function unknownOverrides(
  sources: PolicySources,
  overrides: RuleOverrides,
): Promise<readonly string[]> {
  try {
    const { cards } = await readPolicyFiles(sources);
    return createCardSet(cards)
      .unknownOverrides(overrides)
      .map(({ name, problem }) => `${name} ${problem}`);
  } catch (failure) {
    if (failure instanceof PolicyFilesError) return [];
    throw failure;
  }
}

async function withPolicies<T>(
  sources: PolicySources,
  work: (loaded: LoadedPolicies) => Promise<T>,
): Promise<T> {
  const loaded = await loadPolicies(await readPolicyFiles(sources));
  try {
    return await work(loaded);
  } finally {
    await loaded.set.close();
  }
}
