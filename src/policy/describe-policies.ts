import { readPolicyFiles, type PolicySources } from './policy-files.ts';
import { createPolicySet } from './policy-set.ts';
import type { RegoEngineOptions } from './rego/engine.ts';

/** What would be in force if the gateway started now. */
export interface PoliciesDescription {
  /** Cards' files, and presets by their names. */
  readonly cards: readonly string[];
  readonly regoFiles: readonly string[];
  readonly digest: string;
  /** What a call gets that nothing allowed and nothing denied, and why. */
  readonly defaultAction: 'allow' | 'deny';
  readonly because: string;
  /** What this process grew by when the Rego engine was started; undefined where there is none. */
  readonly engineBytes: number | undefined;
}

/**
 * Loads the policies as the gateway does, looks, and lets them go.
 *
 * @throws PolicyFilesError | RegoFilesError | RegoEvaluationError where the gateway could not load them
 */
export async function describePolicies(
  sources: PolicySources,
  written: 'allow' | 'deny' | undefined,
  engine: RegoEngineOptions,
): Promise<PoliciesDescription> {
  const files = await readPolicyFiles(sources);
  const before = process.memoryUsage.rss();
  const set = await createPolicySet(files, engine);
  const grown = process.memoryUsage.rss() - before;
  await set.close();
  return {
    cards: files.cards.map(({ name }) => name),
    regoFiles: files.rego.map(({ name }) => name),
    digest: files.digest,
    defaultAction: written ?? (set.canAllow ? 'deny' : 'allow'),
    because: reasonOf(written, set.canAllow),
    engineBytes: files.rego.length === 0 ? undefined : grown,
  };
}

function reasonOf(written: 'allow' | 'deny' | undefined, canAllow: boolean): string {
  if (written !== undefined) return 'policy.default_action says so';
  return canAllow ? 'a policy can allow calls' : 'no policy of yours can allow calls';
}
