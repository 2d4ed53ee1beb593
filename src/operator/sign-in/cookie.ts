import type { IncomingMessage } from 'node:http';

/** The prefix binds the cookie to this host; other hosts of the domain cannot set it. */
const NAME = '__Host-gateway-session';
const MAX_COOKIE_CHARS = 8_192;

/** Binds a sign-in at an identity provider to the browser that started it. */
const BINDING = '__Host-gateway-sign-in';
const BINDING_SECONDS = 600;

/** Returns the session id; undefined if the cookie is missing or repeated. */
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

/** `SameSite=Lax`, since the browser returns from another site. */
export function setBindingCookie(binding: string): string {
  return `${BINDING}=${binding}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${String(BINDING_SECONDS)}`;
}

export function clearBindingCookie(): string {
  return `${BINDING}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0`;
}

/** Returns `Set-Cookie` for a session. The cookie lasts until the browser is closed. */
export function setSessionCookie(id: string): string {
  return `${NAME}=${id}; Path=/; Secure; HttpOnly; SameSite=Strict`;
}

export function clearSessionCookie(): string {
  return `${NAME}=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0`;
}
