import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

import { HEADER, HEADER_PREFIX } from '../headers.ts';

/** Where clients put their API key. */
export const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const;

/** About one connection, and of no meaning on the next one. */
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

/** What is ours to say; the rest of `x-gateway-` is not for a program to set. */
const ALLOWED_OF_OURS: ReadonlySet<string> = new Set([HEADER.sessionBudget, HEADER.sessionMaxSteps]);

/** Presented to the gateway in place of what the program sent. */
export interface PresentedIdentity {
  readonly proxyKey: string;
  /** Undefined where the provider wants none, and for tools' servers. */
  readonly providerKey: string | undefined;
  readonly sessionId: string;
}

/** The headers of a request as the gateway gets them. */
export function requestHeaders(
  headers: IncomingHttpHeaders,
  identity: PresentedIdentity,
): OutgoingHttpHeaders {
  const dropped: ReadonlySet<string> = new Set([...CREDENTIAL_HEADERS, 'host', 'expect', 'cookie']);
  const kept = Object.entries(endToEnd(headers)).filter(
    ([name]) => !dropped.has(name) && (!name.startsWith(HEADER_PREFIX) || ALLOWED_OF_OURS.has(name)),
  );
  return {
    ...Object.fromEntries(kept),
    authorization: `Bearer ${identity.proxyKey}`,
    [HEADER.sessionId]: identity.sessionId,
    ...(identity.providerKey !== undefined && { [HEADER.providerKey]: identity.providerKey }),
  };
}

/** Without those that are about the connection, the ones that it names itself among them. */
export function endToEnd(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name)),
  );
}
