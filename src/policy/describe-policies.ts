import { describeSet, type SetDescription } from './describe-set.ts';
import { loadPolicies } from './load-policies.ts';
import { readPolicyFiles, type PolicySources } from './policy-files.ts';
import type { DefaultAction } from './verdict.ts';

/** The policies that would apply if the gateway started now. */
export interface PoliciesDescription extends SetDescription {
  /** Memory growth of this process by starting the Rego engine; undefined without one. */
  readonly engineBytes: number | undefined;
}

/**
 * Loads the policies as the gateway does, describes and unloads them.
 *
 * @throws PolicyFilesError if the gateway could not load them
 */
export async function describePolicies(
  sources: PolicySources,
  written: DefaultAction | undefined,
): Promise<PoliciesDescription> {
  const files = await readPolicyFiles(sources);
  const before = process.memoryUsage.rss();
  const loaded = await loadPolicies(files);
  const grown = process.memoryUsage.rss() - before;
  await loaded.set.close();
  return {
    ...describeSet(loaded, written),
    engineBytes: loaded.rego === undefined ? undefined : grown,
  };
}
