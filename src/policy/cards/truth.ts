import type { PolicyCall } from '../call.ts';

/**
 * Value of a condition: true, false, or undetermined (such as a word where a number is compared). Undetermined counts
 * against the call: restricting rules fire, allowing rules do not.
 */
export type Truth = boolean | undefined;

/** Stops at the first false part. */
export function allOf<Part>(parts: readonly Part[], truthOf: (part: Part) => Truth): Truth {
  let result: Truth = true;
  for (const part of parts) {
    const truth = truthOf(part);
    if (truth === false) return false;
    if (truth === undefined) result = undefined;
  }
  return result;
}

/** Stops at the first true part. */
export function anyOf<Part>(parts: readonly Part[], truthOf: (part: Part) => Truth): Truth {
  return notOf(allOf(parts, (part) => notOf(truthOf(part))));
}

export function notOf(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth;
}

/** A call and the results of its text queries; undefined for queries that did not run. */
export interface Scene {
  readonly call: PolicyCall;
  readonly isFound: (query: number) => Truth;
}

export type Test = (scene: Scene) => Truth;
