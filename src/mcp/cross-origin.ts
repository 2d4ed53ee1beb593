import { HEADER } from '../headers.ts';
import { GatewayError } from '../errors.ts';

type Headers = readonly (readonly [string, string])[];

/** What a page may send beside what any page may; names of MCP's and of the gateway's own are taken as they are asked for. */
const SENT = [
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
const OF_A_FAMILY = /^(?:mcp|x-gateway)-[a-z0-9_-]{1,64}$/i;
const MAX_ASKED = 64;

const NEVER_ANSWERED: ReadonlySet<string> = new Set([HEADER.upstream, HEADER.providerKey, HEADER.jwt]);

/** What a page may read of an answer, beside its type and its length. */
const READ = [
  'Mcp-Session-Id',
  'MCP-Protocol-Version',
  'WWW-Authenticate',
  'Retry-After',
  'Allow',
  'X-Should-Retry',
  ...Object.values(HEADER).filter((name) => !NEVER_ANSWERED.has(name)),
];

/** How long a browser may remember what a preflight told it, in seconds. */
const REMEMBERED_SECONDS = 600;

/** One a browser sends before a request that a page of another origin may not make unasked (Fetch standard). */
export function isPreflight(method: string, headers: ReadonlyMap<string, string>): boolean {
  return method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method');
}

/** With these a browser lets a page of an allowed origin read an answer; empty for every other one. */
export function readableBy(origin: string | undefined, allowed: readonly string[]): Headers {
  if (origin === undefined || !allowed.includes(origin)) return [];
  return [
    ['access-control-allow-origin', origin],
    ['access-control-expose-headers', READ.join(', ')],
    ['vary', 'Origin'],
  ];
}

/** What answers the preflight of an allowed origin, beside `readableBy`. */
export function preflightHeaders(headers: ReadonlyMap<string, string>): Headers {
  const asked = (headers.get('access-control-request-headers') ?? '')
    .split(',', MAX_ASKED)
    .map((name) => name.trim())
    .filter((name) => OF_A_FAMILY.test(name));
  return [
    ['access-control-allow-methods', 'POST, GET, DELETE'],
    ['access-control-allow-headers', [...SENT, ...asked].join(', ')],
    ['access-control-max-age', String(REMEMBERED_SECONDS)],
    ...(headers.get('access-control-request-private-network') === 'true'
      ? ([['access-control-allow-private-network', 'true']] as const)
      : []),
  ];
}

/** A page of this very address and of no other: no name is looked up that an attacker could lead here. */
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

/**
 * Lets no web page of another origin use a browser's way to an MCP server (DNS rebinding); programs send no `Origin`.
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
    'web pages of this Origin may not call the gateway: an operator can list it in mcp.allowed_origins',
  );
}

function isOwnAddress(origin: string, authority: string): boolean {
  return LOOPBACK.test(authority) && (origin === `http://${authority}` || origin === `https://${authority}`);
}
