import { HEADER } from '../headers.ts';
import { GatewayError } from '../errors.ts';

type Headers = readonly (readonly [string, string])[];

/** Allowed request headers, in addition to those of `FAMILIES`. */
const ALLOWED_HEADERS = [
  'Content-Type',
  'Accept',
  'Authorization',
  'X-Api-Key',
  'DPoP',
  'Last-Event-ID',
  'Mcp-Session-Id',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  HEADER.sessionId,
  HEADER.sessionBudget,
  HEADER.sessionMaxSteps,
  'traceparent',
  'tracestate',
];
const FAMILIES = /^(?:mcp|x-gateway)-[a-z0-9_-]{1,64}$/i;
const MAX_REQUESTED = 64;

const REQUEST_ONLY: ReadonlySet<string> = new Set([HEADER.upstream, HEADER.providerKey, HEADER.jwt]);

/** Response headers that pages may read, in addition to the CORS-safelisted ones. */
const EXPOSED_HEADERS = [
  'Mcp-Session-Id',
  'MCP-Protocol-Version',
  'WWW-Authenticate',
  'Retry-After',
  'Retry-After-Ms',
  'Allow',
  'X-Should-Retry',
  ...Object.values(HEADER).filter((name) => !REQUEST_ONLY.has(name)),
];

const MAX_AGE_SECONDS = 600;

/** Reports whether a request is a CORS preflight (Fetch standard). */
export function isPreflight(method: string, headers: ReadonlyMap<string, string>): boolean {
  return method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method');
}

/** Returns headers that let a page of an allowed origin read an answer; none for other origins. */
export function corsHeaders(origin: string | undefined, allowed: readonly string[]): Headers {
  if (origin === undefined || !allowed.includes(origin)) return [];
  return [
    ['access-control-allow-origin', origin],
    ['access-control-expose-headers', EXPOSED_HEADERS.join(', ')],
    ['vary', 'Origin'],
  ];
}

/** Returns the preflight headers for an allowed origin, to be sent with `corsHeaders`. */
export function preflightHeaders(headers: ReadonlyMap<string, string>): Headers {
  const requested = (headers.get('access-control-request-headers') ?? '')
    .split(',', MAX_REQUESTED)
    .map((name) => name.trim())
    .filter((name) => FAMILIES.test(name));
  return [
    ['access-control-allow-methods', 'POST, GET, DELETE'],
    ['access-control-allow-headers', [...ALLOWED_HEADERS, ...requested].join(', ')],
    ['access-control-max-age', String(MAX_AGE_SECONDS)],
    ...(headers.get('access-control-request-private-network') === 'true'
      ? ([['access-control-allow-private-network', 'true']] as const)
      : []),
  ];
}

/** Only pages on loopback hosts may call their own origin, because attackers cannot point these names elsewhere. */
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

/**
 * Refuses web pages whose origin is neither allowed nor the gateway's own address on a loopback host (DNS rebinding).
 * Programs send no `Origin`.
 * @param authority the Host header
 * @throws GatewayError policy_denied
 */
export function assertOrigin(
  origin: string | undefined,
  authority: string,
  allowed: readonly string[],
): void {
  if (origin === undefined || allowed.includes(origin) || isOwnAddress(origin, authority)) return;
  throw new GatewayError(
    'policy_denied',
    'this web page is not allowed to call the gateway: an operator can add its Origin to mcp.allowed_origins',
  );
}

function isOwnAddress(origin: string, authority: string): boolean {
  return LOOPBACK.test(authority) && (origin === `http://${authority}` || origin === `https://${authority}`);
}
