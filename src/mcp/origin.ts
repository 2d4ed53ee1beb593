import { GatewayError } from '../errors.ts';

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
