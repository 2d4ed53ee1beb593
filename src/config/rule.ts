import type { Config } from './schema.ts';
import type { KeyPath } from './yaml-file.ts';

export interface RuleProblem {
  readonly path: KeyPath;
  readonly message: string;
}

/** Possible problems; `false` stands for each one that the configuration does not have. */
export type RuleProblems = readonly (RuleProblem | false)[];

/** @param path dotted, or an array if it contains indexes or arbitrary names */
export function problemIf(isBroken: boolean, path: string | KeyPath, message: string): RuleProblem | false {
  return isBroken && { path: typeof path === 'string' ? path.split('.') : path, message };
}

/** A rule across several keys. Runs on configurations whose individual keys are valid. */
export type Rule = (config: Config) => RuleProblems;

export const ONLY_HTTPS =
  'must be https:// (plain http is allowed for loopback addresses, or with SERVER_INSECURE_DEV=true)';
