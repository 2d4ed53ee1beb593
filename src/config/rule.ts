import type { Config } from './schema.ts';
import type { KeyPath } from './yaml-file.ts';

export interface RuleProblem {
  readonly path: KeyPath;
  readonly message: string;
}

/** A rule across several keys. Runs on a configuration whose single keys are valid. */
export type Rule = (config: Config) => readonly (RuleProblem | false)[];
