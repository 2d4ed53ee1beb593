import type { RegoFailure } from './rego-error.ts';

/** A Rego file as it was read. */
export interface RegoFile {
  /** As errors and records name it. */
  readonly name: string;
  readonly text: string;
}

/** What a compiled set is made of. */
export interface RegoFacts {
  readonly rules: readonly { package: string; name: string; file: string; row: number }[];
  /** The paths of the input that the rules read, up to what is known only when they run; `[]` is all of it. */
  readonly inputs: readonly (readonly string[])[];
}

/** What a thread is made with. */
export interface ThreadData {
  readonly module: WebAssembly.Module;
  /** JSON of policies/engine's `compileRequest`. */
  readonly request: string;
  /** How long an evaluation may take before OPA is asked to stop. */
  readonly evaluationMs: number;
}

/** To a thread: an input as JSON. Replies come in the same order. */
export type ThreadRequest = string;

/** From a thread: first what came of the files, then a reply for each input. */
export type ThreadReply =
  | { readonly set: RegoFacts }
  | { readonly failures: readonly RegoFailure[] }
  /** The bindings of the query: a list of records of its variables. */
  | { readonly results: readonly Readonly<Record<string, unknown>>[] | null }
  | { readonly failure: RegoFailure };
