export interface McpSession {
  readonly server: string;
  /** Value of the server's `Mcp-Session-Id` header. */
  readonly sessionId: string;
  readonly keyHash: string;
}

export type Owner = 'own' | 'foreign' | 'unowned';

/** Maximum number of MCP sessions per key. Beyond it, the least recently used session is evicted. */
export const MAX_MCP_SESSIONS = 10_000;

/** Binds MCP sessions to the keys that received them, until unused for `session.ttl` or evicted. */
export interface McpSessionStore {
  /** Binds a session without an owner to the key. */
  bind(session: McpSession): Promise<'own' | 'foreign'>;
  /** Returns the owner. Extends the session's lifetime if the key owns it. */
  use(session: McpSession): Promise<Owner>;
  end(session: McpSession): Promise<void>;
}
