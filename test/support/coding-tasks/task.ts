/** One task from a person, and how a model does it. */
export interface CodingTask {
  readonly ask: string;
  readonly steps: readonly Step[];
  /** The model's final message. */
  readonly say: string;
}

/** A tool call of the model; names are relative to the project's folder. */
export type Step =
  { readonly read: string } | { readonly write: string; readonly text: string } | { readonly run: string };

export interface CodingSession {
  readonly title: string;
  /** The initial files of the folder, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly tasks: readonly CodingTask[];
}
