import { createHash } from 'node:crypto';
import { HEADER } from '../headers.ts';
import type { Identified } from '../pipeline/exchange.ts';
import { SESSION_ID, type SessionName } from './session-turn.ts';

/** Assigned by the server and repeated by the client (MCP up to 2025-11-25). */
export const MCP_SESSION_HEADER = 'mcp-session-id';

/**
 * Returns the session of an MCP request: the one named by the gateway's own header, else MCP's own session under the
 * server's id (or its digest, if the id is not valid here). Undefined without a session, as in the stateless era.
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
