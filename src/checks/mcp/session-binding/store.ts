/** A session created by an MCP server, and the key asking for it. */
export interface McpSession {
  readonly server: string;
  /** `Mcp-Session-Id`, as sent by the server. */
  readonly sessionId: string;
  readonly keyHash: string;
}

/** The session's owner: the asking key, another key, or none. */
export type Owner = 'own' | 'foreign' | 'nobody';

/** Maximum MCP sessions per key. Beyond it, the least recently used is forgotten. */
export const MAX_MCP_SESSIONS = 10_000;

/**
 * Maps MCP sessions to the keys that received them. Forgets a session unused for `session.ttl`, or after its key has
 * received MAX_MCP_SESSIONS others.
 */
export interface McpSessionStore {
  /** Binds an unowned session to the asking key. No change if it already owns it. */
  bind(session: McpSession): Promise<'own' | 'foreign'>;
  /** Returns the owner, and extends the session's life if the asking key owns it. */
  use(session: McpSession): Promise<Owner>;
  /** Forgets the session if the asking key owns it. */
  end(session: McpSession): Promise<void>;
}
