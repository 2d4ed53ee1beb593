import type { PolicyCall } from '../call.ts';

/** True, false, or undetermined (such as a word compared with a number), which counts against the call. */
export type Truth = boolean | undefined;

export function allOf<Part>(parts: readonly Part[], truthOf: (part: Part) => Truth): Truth {
  let result: Truth = true;
  for (const part of parts) {
    const truth = truthOf(part);
    if (truth === false) return false;
    if (truth === undefined) result = undefined;
  }
  return result;
}

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
