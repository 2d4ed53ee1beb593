export interface ShownTool {
  readonly name: string;
  /** Digest of the definition (`definitionDigest`). */
  readonly digest: string;
}

/**
 * `held`: equal to the pin again after an unaccepted change. `full`: not pinned, because the server has too many tools.
 */
export type PinState = 'new' | 'same' | 'changed' | 'held' | 'full';

export interface Pin {
  readonly tool: string;
  readonly digest: string;
  /** Unix time in milliseconds. */
  readonly pinnedAt: number;
  /** The last differing definition, until an operator accepts it. */
  readonly change?: { readonly digest: string; readonly seenAt: number };
}

export interface Acceptable {
  readonly tool: string;
  /** Prefix of the changed definition's digest. If it does not match, nothing is accepted. */
  readonly digest?: string;
}

export interface Accepted {
  readonly tool: string;
  readonly digest: string;
}

/** Stores pinned MCP tool definitions. Changes are atomic and may be repeated. */
export interface PinStore {
  /** Pins new tools. Returns states in the order of the tools. */
  show(server: string, tools: readonly ShownTool[]): Promise<readonly PinState[]>;
  /** Reports whether a tool has a change that was not accepted. */
  isChanged(server: string, tool: string): Promise<boolean>;
  /** Returns all pins, sorted by name. */
  list(server: string): Promise<readonly Pin[]>;
  /** Pins changed definitions. Returns the accepted ones, sorted by name. */
  accept(server: string, acceptable?: Acceptable): Promise<readonly Accepted[]>;
}

/** Maximum number of pinned tools and unaccepted changes per server, so that invented names cannot fill Redis. */
export const MAX_PINNED_TOOLS = 1_000;
