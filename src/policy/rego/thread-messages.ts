import type { RegoFailure } from './rego-error.ts';

/** A Rego file as it was read. */
export interface RegoFile {
  /** As errors and records name it. */
  readonly name: string;
  readonly text: string;
}

/** The rules of one name in a file. */
export interface RegoRule {
  /** Both as dotted paths, without `data`. */
  readonly package: string;
  readonly name: string;
  readonly file: string;
  /** Of the first of them, from 1. */
  readonly row: number;
  readonly count: number;
}

/** What a compiled set is made of. */
export interface RegoFacts {
  readonly rules: readonly RegoRule[];
  /** The paths of the input that the rules read, up to what is known only when they run; `[]` is all of it. */
  readonly inputs: readonly (readonly string[])[];
}

/** What a thread is made with. */
export interface ThreadData {
  readonly module: WebAssembly.Module;
  readonly files: readonly RegoFile[];
  /** Asked of every input; binds one variable, `decision`. */
  readonly query: string;
  /** How long an evaluation may take before OPA is asked to stop. */
  readonly evaluationMs: number;
  /** Leaves the CPU to other threads where there is too little of it (Linux). */
  readonly yieldsCpu: boolean;
}

/** From a thread: first what came of the files, then a reply for each input. */
export type ThreadReply =
  | { readonly set: RegoFacts }
  | { readonly failures: readonly RegoFailure[] }
  /** The bindings of the query: a list of records of its variables. */
  | { readonly results: readonly Readonly<Record<string, unknown>>[] | null }
  | { readonly failure: RegoFailure };
