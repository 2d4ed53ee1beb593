import { GatewayError } from '../errors.ts';

/**
 * Lets no web page of another origin use a browser's way to an MCP server (DNS rebinding); programs send no `Origin`.
 * @throws GatewayError policy_denied
 */
export function assertOrigin(origin: string | undefined, allowed: readonly string[]): void {
  if (origin === undefined || allowed.includes(origin)) return;
  throw new GatewayError('policy_denied', 'this Origin is not one of mcp.allowed_origins');
}
