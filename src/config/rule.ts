import type { Config } from './schema.ts';
import type { KeyPath } from './yaml-file.ts';

export interface RuleProblem {
  readonly path: KeyPath;
  readonly message: string;
}

/** A rule that joins several keys: what it has against a configuration that is valid key by key. */
export type Rule = (config: Config) => readonly (RuleProblem | false)[];
