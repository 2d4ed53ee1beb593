/** One wish of a person, and how a model fulfils it. */
export interface CodingTask {
  readonly ask: string;
  readonly steps: readonly Step[];
  /** What the model says at the end. */
  readonly say: string;
}

/** A tool call of the model; names are relative to the project's folder. */
export type Step =
  { readonly read: string } | { readonly write: string; readonly text: string } | { readonly run: string };

export interface CodingSession {
  readonly title: string;
  /** What lies in the folder at its start, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly tasks: readonly CodingTask[];
}
