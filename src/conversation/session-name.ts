import { createHash } from 'node:crypto';
import { HEADER } from '../headers.ts';
import type { Identified, Parsed } from '../pipeline/exchange.ts';
import type { Operation } from '../providers/dialect.ts';

/** A session of one key: two keys may use the same session id. */
export interface SessionName {
  readonly keyHash: string;
  readonly sessionId: string;
}

/** Lifetime, after the last use, of a session without a 2xx answer. Limits what unanswered requests can create. */
export const UNANSWERED_LIFE_MS = 600_000;

/** Valid session ids (docs/sessions.md). None of these characters can form another Redis key. */
export const SESSION_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Assigned by the server and repeated by the client (MCP up to 2025-11-25). */
export const MCP_SESSION_HEADER = 'mcp-session-id';

/** Operations that count as a turn of an agent. Embeddings do not show where a session is heading. */
const TURNS: ReadonlySet<Operation> = new Set(['chat', 'completions', 'responses']);

/** Returns the session in which the request takes a turn, if any. */
export function turnSession({ headers, endpoint, key }: Parsed): SessionName | undefined {
  const sessionId = namedSession(headers);
  if (sessionId === undefined || !TURNS.has(endpoint.operation)) return undefined;
  return { keyHash: key.keyHash, sessionId };
}

export function namedSession(headers: ReadonlyMap<string, string>): string | undefined {
  const sessionId = headers.get(HEADER.sessionId);
  return sessionId !== undefined && SESSION_ID.test(sessionId) ? sessionId : undefined;
}

/**
 * Returns the name under which a session's tool calls are compared, separately from its turns. Session ids contain no
 * slash, so names cannot collide.
 */
export function toolCallsOf({ keyHash, sessionId }: SessionName): SessionName {
  return { keyHash, sessionId: `${sessionId}/tools` };
}

/**
 * Returns the session of an MCP request: the one named in the gateway's own header, otherwise MCP's own session under
 * the server's id (or its digest, if the id is not valid here). Returns undefined without a session, as in the
 * stateless versions of MCP.
 */
export function mcpSessionOf({ mcp, headers, key }: Identified): SessionName | undefined {
  if (mcp === undefined) return undefined;
  const named = headers.get(HEADER.sessionId);
  if (named !== undefined)
    return SESSION_ID.test(named) ? { keyHash: key.keyHash, sessionId: named } : undefined;
  const mcpSession = headers.get(MCP_SESSION_HEADER);
  if (mcpSession === undefined) return undefined;
  const sessionId = SESSION_ID.test(mcpSession)
    ? mcpSession
    : createHash('sha256').update(mcpSession).digest('base64url');
  return { keyHash: key.keyHash, sessionId };
}
