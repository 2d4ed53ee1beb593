import type { IncomingMessage } from 'node:http';

import { Reply } from '../api/route.ts';
import type { Identify } from './identify.ts';
import type { SignedIn, SignInKind } from './roles.ts';
import type { PageSessions } from './session-store.ts';

/** @param kinds enabled sign-in kinds; sessions of other kinds are ignored */
export function bySession(sessions: PageSessions, kinds: readonly SignInKind[]): Identify {
  return async (incoming) => {
    const id = sessionCookie(incoming);
    const session =
      id === undefined ? undefined : await sessions.use(id, isBackground(incoming) ? 'polling' : 'person');
    return session !== undefined && kinds.includes(session.who.kind) ? session : undefined;
  };
}

/** Reports whether a request is a poll or live stream of an open page, which must not extend an idle session. */
function isBackground({ headers }: IncomingMessage): boolean {
  return headers['x-background'] !== undefined || headers.accept === 'text/event-stream';
}

/** Redirect after a sign-in. */
export interface Onward {
  readonly location: string;
  readonly cookies?: readonly string[];
}

/** Starts a new session, and ends the previous session to prevent session fixation. */
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

/** The prefix binds the cookie to this host; other hosts of the domain cannot set it. */
const NAME = '__Host-gateway-session';
const MAX_COOKIE_CHARS = 8_192;

/** Binds a sign-in at an identity provider to the browser that started it. */
const BINDING = '__Host-gateway-sign-in';
const BINDING_SECONDS = 600;

/** Returns the session id, or undefined if the cookie is missing, repeated or too long. */
export function sessionCookie(incoming: IncomingMessage): string | undefined {
  return cookieOf(incoming, NAME);
}

export function bindingCookie(incoming: IncomingMessage): string | undefined {
  return cookieOf(incoming, BINDING);
}

function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  const { cookie = '' } = headers;
  if (cookie.length > MAX_COOKIE_CHARS) return undefined;
  const [value, ...others] = cookie.split(';').flatMap((pair) => {
    const trimmed = pair.trim();
    return trimmed.startsWith(`${name}=`) ? [trimmed.slice(name.length + 1)] : [];
  });
  return others.length === 0 ? value : undefined;
}

/** `SameSite=Lax`, because the browser returns from another site. */
export function setBindingCookie(binding: string): string {
  return `${BINDING}=${binding}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${String(BINDING_SECONDS)}`;
}

export function clearBindingCookie(): string {
  return `${BINDING}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0`;
}

/** Returns `Set-Cookie` for a session. The cookie lasts until the browser is closed. */
function setSessionCookie(id: string): string {
  return `${NAME}=${id}; Path=/; Secure; HttpOnly; SameSite=Strict`;
}

export function clearSessionCookie(): string {
  return `${NAME}=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0`;
}
