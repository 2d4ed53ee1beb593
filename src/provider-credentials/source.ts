/** A credential, and when to read its source again. */
export interface ReadValue {
  readonly value: string;
  readonly againInMs: number;
  /** Unix ms; undefined if unknown. */
  readonly endsAt?: number | undefined;
}

/** Source of a credential. May keep a session with a server. */
export interface Source {
  /** @throws Error that names the source and the remedy, never the value or a program's output */
  read(): Promise<ReadValue>;
}
