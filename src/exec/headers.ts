import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

import { HEADER, HEADER_PREFIX } from '../headers.ts';

export const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const;

/** Headers of a single connection, which are not forwarded. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The only `x-gateway-` headers that a program may set. */
const ALLOWED_GATEWAY_HEADERS: ReadonlySet<string> = new Set([HEADER.sessionBudget, HEADER.sessionMaxSteps]);

/** Sent to the gateway instead of the program's own credentials. */
export interface PresentedIdentity {
  readonly proxyKey: string;
  /** Undefined for a provider without keys, and for MCP servers. */
  readonly providerKey: string | undefined;
  readonly sessionId: string;
}

/** Returns a request's headers for the gateway. */
export function requestHeaders(
  headers: IncomingHttpHeaders,
  identity: PresentedIdentity,
): OutgoingHttpHeaders {
  const dropped: ReadonlySet<string> = new Set([...CREDENTIAL_HEADERS, 'host', 'expect', 'cookie']);
  const kept = Object.entries(endToEnd(headers)).filter(
    ([name]) => !dropped.has(name) && (!name.startsWith(HEADER_PREFIX) || ALLOWED_GATEWAY_HEADERS.has(name)),
  );
  return {
    ...Object.fromEntries(kept),
    authorization: `Bearer ${identity.proxyKey}`,
    [HEADER.sessionId]: identity.sessionId,
    ...(identity.providerKey !== undefined && { [HEADER.providerKey]: identity.providerKey }),
  };
}

/** Drops headers of the connection, including those named in `Connection`. */
export function endToEnd(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name)),
  );
}
