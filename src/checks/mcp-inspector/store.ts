/** A tool as its server shows it now. */
export interface ShownTool {
  readonly name: string;
  /** Of its definition, see `definitionDigest`. */
  readonly digest: string;
}

/**
 * What a tool's definition is against the one that was first seen.
 *
 * `held`: it is the first one again, and was another in between that nobody has accepted. `full`: the server has shown
 * so many tools that this one is not pinned.
 */
export type PinState = 'new' | 'same' | 'changed' | 'held' | 'full';

export interface Pin {
  readonly tool: string;
  readonly digest: string;
  /** Unix ms. */
  readonly pinnedAt: number;
  /** The definition seen last that differs, until an operator accepts it. */
  readonly change?: { readonly digest: string; readonly seenAt: number };
}

/** Which changed definitions are taken for the pinned ones; all where no tool is named. */
export interface Acceptable {
  readonly tool: string;
  /** What the digest of the changed definition begins with: where it is another by now, nothing is accepted. */
  readonly digest?: string;
}

/** A tool whose changed definition is the pinned one now. */
export interface Accepted {
  readonly tool: string;
  readonly digest: string;
}

/** Remembers the definitions of MCP servers' tools. Each step is atomic, and repeating one changes nothing. */
export interface PinStore {
  /** Pins what is seen for the first time; the n-th state is the n-th tool's. */
  show(server: string, tools: readonly ShownTool[]): Promise<readonly PinState[]>;
  /** Whether a tool has changed since it was pinned, and nobody has accepted that. */
  isChanged(server: string, tool: string): Promise<boolean>;
  /** In order of their names. */
  list(server: string): Promise<readonly Pin[]>;
  /** Takes changed definitions for the pinned ones; resolves to those that were, in order of their names. */
  accept(server: string, acceptable?: Acceptable): Promise<readonly Accepted[]>;
}

/** Tools of one server that are pinned: a server that invents names fills no Redis. */
export const MAX_PINNED_TOOLS = 1_000;
