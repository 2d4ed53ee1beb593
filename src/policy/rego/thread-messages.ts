import type { RegoFailure } from './rego-error.ts';

export interface RegoFile {
  /** Name used in errors and records. */
  readonly name: string;
  readonly text: string;
}

export interface RegoRule {
  /** Dotted path without `data`. */
  readonly package: string;
  readonly name: string;
  readonly file: string;
  /** Line number of the first definition, starting at 1. */
  readonly row: number;
  readonly count: number;
}

export interface RegoFacts {
  readonly rules: readonly RegoRule[];
  /** Input paths read by the rules, up to the first dynamic member; `[]` is the whole input. */
  readonly inputs: readonly (readonly string[])[];
}

export interface ThreadData {
  readonly module: WebAssembly.Module;
  readonly files: readonly RegoFile[];
  /** Evaluated for every input; binds one variable, `decision`. */
  readonly query: string;
  readonly evaluationMs: number;
  readonly yieldsCpu: boolean;
}

/** Message from the thread: first the compilation result, then one reply per input. */
export type ThreadReply =
  | { readonly set: RegoFacts }
  | { readonly failures: readonly RegoFailure[] }
  /** The query's variable bindings, one object per solution. */
  | { readonly results: readonly Readonly<Record<string, unknown>>[] | null }
  | { readonly failure: RegoFailure };
