import { HEADER } from '../headers.ts';
import type { Operation } from '../providers/provider.ts';
import type { Parsed } from '../pipeline/exchange.ts';

/** A session belongs to its key: another key's of the same name is another one. */
export interface SessionName {
  readonly keyHash: string;
  readonly sessionId: string;
}

/** Life of a session in which no call was answered 2xx yet, from its last use: anybody may open so many. */
export const UNANSWERED_LIFE_MS = 600_000;

/** Of one id (docs/sessions.md); none of these characters can lead into another Redis key. */
export const SESSION_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Operations in which an agent takes its turn; an embedding says nothing of where a session goes. */
const TURNS: ReadonlySet<Operation> = new Set(['chat', 'completions', 'responses']);

/**
 * The session that a request takes a turn in; undefined where it names none, or takes none. Known before the session
 * check has judged, so that what is kept of the session's earlier turns can be read in the same wait.
 */
export function turnSession({ headers, endpoint, key }: Parsed): SessionName | undefined {
  const sessionId = namedSession(headers);
  if (sessionId === undefined || !TURNS.has(endpoint.operation)) return undefined;
  return { keyHash: key.keyHash, sessionId };
}

/** The id of the session that a request names, well formed. */
export function namedSession(headers: ReadonlyMap<string, string>): string | undefined {
  const sessionId = headers.get(HEADER.sessionId);
  return sessionId !== undefined && SESSION_ID.test(sessionId) ? sessionId : undefined;
}

/**
 * The name under which a session's tool calls are compared: apart from its turns, which come in between. No session id
 * holds a slash.
 */
export function toolCallsOf({ keyHash, sessionId }: SessionName): SessionName {
  return { keyHash, sessionId: `${sessionId}/tools` };
}
