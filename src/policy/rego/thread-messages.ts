import type { RegoFailure } from './rego-error.ts';

export interface RegoFile {
  /** Name used in errors and records. */
  readonly name: string;
  readonly text: string;
}

export interface RegoRule {
  /** Dotted paths without `data`. */
  readonly package: string;
  readonly name: string;
  readonly file: string;
  /** Row of the first rule, counted from 1. */
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
  /** Time after which OPA is asked to stop. */
  readonly evaluationMs: number;
  /** Whether to yield the CPU to other threads if it is scarce (Linux). */
  readonly yieldsCpu: boolean;
}

/** Message of the thread: first the result of compiling, then one reply per input. */
export type ThreadReply =
  | { readonly set: RegoFacts }
  | { readonly failures: readonly RegoFailure[] }
  /** The query's bindings: a list of records of its variables. */
  | { readonly results: readonly Readonly<Record<string, unknown>>[] | null }
  | { readonly failure: RegoFailure };
