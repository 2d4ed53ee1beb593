import { createHash } from 'node:crypto';
import { HEADER } from '../headers.ts';
import type { Identified } from '../pipeline/exchange.ts';
import { SESSION_ID, type SessionName } from './session-turn.ts';

/** Set by the server, repeated by the client (MCP up to 2025-11-25). */
export const MCP_SESSION_HEADER = 'mcp-session-id';

/**
 * The session that a request to an MCP server belongs to: the one it names as every request may, else that of MCP
 * itself, under the server's own id, or its digest where that is none of ours. Undefined where there is none, as in
 * the stateless era.
 */
export function mcpSessionOf({ mcp, headers, key }: Identified): SessionName | undefined {
  if (mcp === undefined) return undefined;
  const named = headers.get(HEADER.sessionId);
  if (named !== undefined)
    return SESSION_ID.test(named) ? { keyHash: key.keyHash, sessionId: named } : undefined;
  const mcpSession = headers.get(MCP_SESSION_HEADER);
  if (mcpSession === undefined) return undefined;
  const sessionId = SESSION_ID.test(mcpSession) ? mcpSession : sessionDigest(mcpSession);
  return { keyHash: key.keyHash, sessionId };
}

function sessionDigest(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}
