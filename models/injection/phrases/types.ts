/** Sentence templates of one language; `{slot}` in a template is replaced by one of the slot's options. */
export interface Phrases {
  /** ISO 639-1 code. */
  readonly language: string;
  readonly slots: Readonly<Record<string, readonly string[]>>;
  readonly attacks: readonly string[];
  readonly innocent: readonly string[];
}
