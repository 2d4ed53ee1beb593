/** An MCP server's session, and the key that names it. */
export interface McpSession {
  readonly server: string;
  /** `Mcp-Session-Id`, as the server sent it. */
  readonly sessionId: string;
  readonly keyHash: string;
}

/** The session's owner: this key, another key, or none. */
export type Owner = 'own' | 'foreign' | 'nobody';

/** Most MCP sessions per key; then the least recently used is forgotten. */
export const MAX_MCP_SESSIONS = 10_000;

/**
 * Binds MCP sessions to the keys that received them. A session is forgotten if it was not used for `session.ttl`, or
 * when its key has received MAX_MCP_SESSIONS others.
 */
export interface McpSessionStore {
  /** Binds a session without an owner to the key. */
  bind(session: McpSession): Promise<'own' | 'foreign'>;
  /** Returns the owner. Extends the session's life if the key owns it. */
  use(session: McpSession): Promise<Owner>;
  /** Forgets the session if the key owns it. */
  end(session: McpSession): Promise<void>;
}
