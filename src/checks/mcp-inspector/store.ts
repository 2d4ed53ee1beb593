/** A tool as its server lists it now. */
export interface ShownTool {
  readonly name: string;
  /** Digest of its definition, see `definitionDigest`. */
  readonly digest: string;
}

/**
 * A tool's definition compared with the pinned one. `held`: it equals the pinned one again, after another one
 * that nobody accepted. `full`: not pinned, because the server has listed too many tools.
 */
export type PinState = 'new' | 'same' | 'changed' | 'held' | 'full';

export interface Pin {
  readonly tool: string;
  readonly digest: string;
  /** Unix ms. */
  readonly pinnedAt: number;
  /** The last different definition, until an operator accepts it. */
  readonly change?: { readonly digest: string; readonly seenAt: number };
}

/** Selects changed definitions to accept. */
export interface Acceptable {
  readonly tool: string;
  /** Prefix of the changed definition's digest; if it has changed again, nothing is accepted. */
  readonly digest?: string;
}

/** A tool whose changed definition became the pinned one. */
export interface Accepted {
  readonly tool: string;
  readonly digest: string;
}

/** Stores the definitions of MCP servers' tools. Each step is atomic and safe to repeat. */
export interface PinStore {
  /** Pins tools seen for the first time. States are in the order of the tools. */
  show(server: string, tools: readonly ShownTool[]): Promise<readonly PinState[]>;
  /** Reports whether a tool has an unaccepted change. */
  isChanged(server: string, tool: string): Promise<boolean>;
  /** In order of name. */
  list(server: string): Promise<readonly Pin[]>;
  /** Pins changed definitions; resolves to the accepted ones, in order of name. */
  accept(server: string, acceptable?: Acceptable): Promise<readonly Accepted[]>;
}

/** Limit of pinned tools per server, so that invented names cannot fill Redis. */
export const MAX_PINNED_TOOLS = 1_000;
