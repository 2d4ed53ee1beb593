import type { IncomingMessage } from 'node:http';
import { Reply } from '../api/route.ts';
import { sessionCookie, setSessionCookie } from './cookie.ts';
import type { Identify } from './identify.ts';
import type { SignedIn, SignInKind } from './roles.ts';
import type { PageSessions } from './session-store.ts';

/**
 * Identifies a browser by its session cookie.
 * @param kinds enabled kinds of sign-in; sessions of other kinds are ignored
 */
export function bySession(sessions: PageSessions, kinds: readonly SignInKind[]): Identify {
  return async (incoming) => {
    const id = sessionCookie(incoming);
    const session =
      id === undefined ? undefined : await sessions.use(id, isBackground(incoming) ? 'polling' : 'person');
    return session !== undefined && kinds.includes(session.who.kind) ? session : undefined;
  };
}

/** Reports whether a request is a poll of an open page, which must not extend an idle session. */
function isBackground({ headers }: IncomingMessage): boolean {
  return headers['x-background'] !== undefined || headers.accept === 'text/event-stream';
}

/** Redirect after a sign-in. */
export interface Onward {
  readonly location: string;
  readonly cookies?: readonly string[];
}

/**
 * Starts a new session and ends the previous one, which prevents session fixation.
 * @param onward undefined to answer without a redirect
 */
export async function signedIn(
  sessions: PageSessions,
  incoming: IncomingMessage,
  who: SignedIn,
  onward?: Onward,
): Promise<Reply> {
  const before = sessionCookie(incoming);
  if (before !== undefined) await sessions.end(before);
  const { id } = await sessions.begin(who);
  const cookies = [setSessionCookie(id), ...(onward?.cookies ?? [])];
  const headers = { 'set-cookie': cookies };
  return onward === undefined
    ? new Reply(204, headers)
    : new Reply(303, { ...headers, location: onward.location });
}
