import { HEADER } from '../headers.ts';
import type { Operation } from '../providers/dialect.ts';
import type { Parsed } from '../pipeline/exchange.ts';

/** Sessions are per key: two keys may use the same session id. */
export interface SessionName {
  readonly keyHash: string;
  readonly sessionId: string;
}

/** Lifetime, after last use, of a session without a 2xx answer. Limits what unanswered requests can create. */
export const UNANSWERED_LIFE_MS = 600_000;

/** Valid session ids (docs/sessions.md). None of these characters can form another Redis key. */
export const SESSION_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Operations that count as an agent's turn. Embeddings do not show where a session is heading. */
const TURNS: ReadonlySet<Operation> = new Set(['chat', 'completions', 'responses']);

/**
 * Returns the session in which the request takes a turn, if any. Available before the session check runs, so that
 * earlier turns can be read in the same Redis round trip.
 */
export function turnSession({ headers, endpoint, key }: Parsed): SessionName | undefined {
  const sessionId = namedSession(headers);
  if (sessionId === undefined || !TURNS.has(endpoint.operation)) return undefined;
  return { keyHash: key.keyHash, sessionId };
}

/** Returns the well-formed session id of a request. */
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
