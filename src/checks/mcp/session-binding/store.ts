/** A session that an MCP server gave out, and the key that asks for it. */
export interface McpSession {
  readonly server: string;
  /** `Mcp-Session-Id`, as the server wrote it. */
  readonly sessionId: string;
  readonly keyHash: string;
}

/** Whose a session is: the asking key's, another one's, nobody's. */
export type Owner = 'own' | 'foreign' | 'nobody';

/** Sessions of MCP servers that one key may have: with one more the least recently used is forgotten. */
export const MAX_MCP_SESSIONS = 10_000;

/**
 * Which key each session of the MCP servers was given to; forgotten once it was not used for `session.ttl`, or when its
 * key was given MAX_MCP_SESSIONS others since.
 */
export interface McpSessionStore {
  /** Gives a session that is nobody's to the asking key; its own stays its own. */
  bind(session: McpSession): Promise<'own' | 'foreign'>;
  /** Says whose a session is, and keeps one's own alive. */
  use(session: McpSession): Promise<Owner>;
  /** Forgets a session of one's own; another's is left alone. */
  end(session: McpSession): Promise<void>;
}
