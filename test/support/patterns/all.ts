import type * as Rule from '../../../src/detectors/secrets/rule.ts';
import type * as Rules from '../../../src/detectors/secrets/secret-rules.ts';
import { load, madePatterns, writtenPatterns, type Found, type Written } from './collect.ts';

export interface AllPatterns extends Written {
  /** Patterns that code creates while it loads, and those that secrets derive from others. */
  readonly made: readonly Found[];
}

/** Returns every pattern of `src` and `cli`. */
export async function allPatterns(): Promise<AllPatterns> {
  const written = writtenPatterns();
  const made = await madePatterns(async () => {
    for (const file of new Set(written.constructions.map((at) => at.replace(/:\d+$/, '')))) await load(file);
    await makeThoseOfSecrets();
  });
  return { ...written, made };
}

/** Patterns for truncated texts are created when such a text is first met. */
async function makeThoseOfSecrets(): Promise<void> {
  const { secretRules } = (await load('src/detectors/secrets/secret-rules.ts')) as typeof Rules;
  const { undecidedFrom } = (await load('src/detectors/secrets/rule.ts')) as typeof Rule;
  for (const rule of secretRules) undecidedFrom(rule, 'x', 0);
}
