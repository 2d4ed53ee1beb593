import type { PolicyCall } from '../call.ts';

/**
 * What a condition is: it holds, it does not, or it cannot be told (a number is asked for and a word is there). What
 * cannot be told counts against the call: rules that restrict fire, rules that allow do not.
 */
export type Truth = boolean | undefined;

/** False as soon as one is false: those after it are not asked. */
export function allOf<Part>(parts: readonly Part[], truthOf: (part: Part) => Truth): Truth {
  let result: Truth = true;
  for (const part of parts) {
    const truth = truthOf(part);
    if (truth === false) return false;
    if (truth === undefined) result = undefined;
  }
  return result;
}

/** True as soon as one is true: those after it are not asked. */
export function anyOf<Part>(parts: readonly Part[], truthOf: (part: Part) => Truth): Truth {
  return notOf(allOf(parts, (part) => notOf(truthOf(part))));
}

export function notOf(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth;
}

/** A call, and what is known of its texts: undefined where a question was not asked yet. */
export interface Scene {
  readonly call: PolicyCall;
  readonly isFound: (query: number) => Truth;
}

export type Test = (scene: Scene) => Truth;
