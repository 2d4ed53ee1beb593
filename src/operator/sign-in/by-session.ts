import type { IncomingMessage } from 'node:http';
import { Reply } from '../api/route.ts';
import { sessionCookie, setSessionCookie } from './cookie.ts';
import type { Identify } from './identify.ts';
import type { SignedIn } from './roles.ts';
import type { PageSessions } from './session-store.ts';

/** Identifies a browser by its session's cookie. */
export function bySession(sessions: PageSessions): Identify {
  return async (incoming) => {
    const id = sessionCookie(incoming);
    const session = id === undefined ? undefined : await sessions.use(id);
    if (id === undefined || session === undefined) return undefined;
    return { ...session, end: () => sessions.end(id) };
  };
}

/**
 * Begins a session, always a new one, so that nobody can have prepared its id. The one before ends.
 * @param location where the browser goes on; undefined to answer in place
 */
export async function signedIn(
  sessions: PageSessions,
  incoming: IncomingMessage,
  who: SignedIn,
  location?: string,
): Promise<Reply> {
  const before = sessionCookie(incoming);
  if (before !== undefined) await sessions.end(before);
  const { id } = await sessions.begin(who);
  const headers = { 'set-cookie': setSessionCookie(id) };
  return location === undefined ? new Reply(204, headers) : new Reply(303, { ...headers, location });
}
