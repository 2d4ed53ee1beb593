import { createHash } from 'node:crypto';
import { HEADER } from '../headers.ts';
import type { Identified, Parsed } from '../pipeline/exchange.ts';
import type { Operation } from '../providers/dialect.ts';

/** A session within one key, because two keys may use the same session id. */
export interface SessionName {
  readonly keyHash: string;
  readonly sessionId: string;
}

/** Lifetime, from its last use, of a session without a 2xx answer. Failed requests create such sessions. */
export const UNANSWERED_LIFE_MS = 600_000;

/** Pattern of valid session ids (docs/sessions.md). No id can alter the structure of a Redis key. */
export const SESSION_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Header with the session id that the server assigns and the client repeats (MCP up to 2025-11-25). */
export const MCP_SESSION_HEADER = 'mcp-session-id';

/** Operations that count as an agent's turn. Others, such as embeddings, do not show where a session is heading. */
const TURNS: ReadonlySet<Operation> = new Set(['chat', 'completions', 'responses']);

export function turnSession({ headers, endpoint, key }: Parsed): SessionName | undefined {
  const sessionId = namedSession(headers);
  if (sessionId === undefined || !TURNS.has(endpoint.operation)) return undefined;
  return { keyHash: key.keyHash, sessionId };
}

export function namedSession(headers: ReadonlyMap<string, string>): string | undefined {
  const sessionId = headers.get(HEADER.sessionId);
  return sessionId !== undefined && SESSION_ID.test(sessionId) ? sessionId : undefined;
}

/** Returns the name for comparing a session's tool calls. It cannot collide, because session ids contain no slash. */
export function toolCallsOf({ keyHash, sessionId }: SessionName): SessionName {
  return { keyHash, sessionId: `${sessionId}/tools` };
}

/**
 * Returns the session in the gateway's header, or else in `Mcp-Session-Id` (as a digest if it is not a valid session
 * id). Returns undefined if the gateway's header is invalid or both are missing, as in stateless MCP versions.
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
