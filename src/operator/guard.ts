import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Config } from '../config/schema.ts';
import { isLoopbackHost } from '../config/address.ts';
import { ApiError } from './api/problem.ts';

const MAX_BODY_BYTES = 65_536;

export const SECURITY_HEADERS: Readonly<OutgoingHttpHeaders> = {
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Returns the origins that serve the page, such as `https://gateway.example`. */
export function allowedOrigins({ ui }: Pick<Config, 'ui'>): ReadonlySet<string> {
  const scheme = ui.tls.cert_file === undefined ? 'http' : 'https';
  const hosts = isLoopbackHost(ui.host) ? ['localhost', '127.0.0.1', '[::1]', bracketed(ui.host)] : [];
  const own = hosts.map((host) => new URL(`${scheme}://${host}:${String(ui.port)}`).origin);
  return new Set([...own, ...(ui.public_url === undefined ? [] : [new URL(ui.public_url).origin])]);
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** @throws ApiError for other hosts, because another site could rebind its own name to the gateway's address */
export function refuseOtherHosts({ headers }: IncomingMessage, origins: ReadonlySet<string>): void {
  const host = headers.host?.toLowerCase();
  const isOurs = [...origins].some((origin) => hostsOf(origin).includes(host ?? ''));
  if (!isOurs)
    throw new ApiError(
      'cross_site_request',
      'the page is not served under this host name: use ui.public_url or localhost',
    );
}

/** Returns the `Host` values of an origin: with the port, and without a default port. */
function hostsOf(origin: string): readonly string[] {
  const { host, hostname, port, protocol } = new URL(origin);
  return port === '' ? [host, `${hostname}:${protocol === 'https:' ? '443' : '80'}`] : [host];
}

/**
 * Refuses requests from pages of other sites, by `Sec-Fetch-Site` and `Origin`. Programs send neither.
 * @param navigable whether other sites may link to this route
 * @throws ApiError
 */
export function refuseOtherSites(
  { headers }: IncomingMessage,
  origins: ReadonlySet<string>,
  navigable: boolean,
): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  const isNavigation = navigable && headers['sec-fetch-mode'] === 'navigate';
  const isOtherSite = site !== undefined && site !== 'same-origin' && site !== 'none' && !isNavigation;
  if (isOtherSite || (origin !== undefined && !origins.has(origin)))
    throw new ApiError('cross_site_request', 'requests from other sites are refused');
}

/** @throws ApiError */
export function refuseWrongToken({ headers }: IncomingMessage, csrf: string): void {
  const given = headers['x-csrf-token'];
  if (typeof given !== 'string' || !isEqual(given, csrf))
    throw new ApiError(
      'cross_site_request',
      'X-CSRF-Token is missing or wrong: reload the page, or take the token from GET /api/me',
    );
}

/** Compares in constant time. */
function isEqual(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Returns `{}` for an empty body. @throws ApiError if the body is too large, not declared as JSON or invalid */
export async function readJson(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES)
      throw new ApiError('payload_too_large', `the body has more than ${String(MAX_BODY_BYTES)} bytes`);
    chunks.push(chunk);
  }
  if (bytes === 0) return {};
  const [type = ''] = (incoming.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json')
    throw new ApiError('unsupported_media_type', 'the body must be application/json');
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new ApiError('invalid_request', 'the body is not valid JSON');
  }
}
