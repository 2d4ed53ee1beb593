import type { IncomingMessage } from 'node:http';

/** The prefix binds the cookie to this host: no other host of the domain can set it. */
const NAME = '__Host-gateway-session';
const MAX_COOKIE_CHARS = 8_192;

/** Returns the session's id that a browser sent; undefined for none, or more than one. */
export function sessionCookie({ headers }: IncomingMessage): string | undefined {
  const { cookie = '' } = headers;
  if (cookie.length > MAX_COOKIE_CHARS) return undefined;
  const [id, ...others] = cookie.split(';').flatMap((one) => {
    const written = one.trim();
    return written.startsWith(`${NAME}=`) ? [written.slice(NAME.length + 1)] : [];
  });
  return others.length === 0 ? id : undefined;
}

/** Returns `Set-Cookie` for a session; it ends with the browser, and in Redis. */
export function setSessionCookie(id: string): string {
  return `${NAME}=${id}; Path=/; Secure; HttpOnly; SameSite=Strict`;
}

export function clearSessionCookie(): string {
  return `${NAME}=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0`;
}
