import type { Denial } from '../../pipeline/check.ts';
import type { Answered } from '../../pipeline/exchange.ts';

/** Sent by the server, or by a proxy in front of it. */
const UNAUTHORIZED: ReadonlySet<number> = new Set([401, 403, 407]);

/**
 * Hides that a server wants other credentials. The client would blame its own gateway key, and start to authorize
 * itself at a server that it is not a client of. Returns undefined for other answers.
 */
export function refuseUnauthorized({ origin, status, mcp }: Answered): Denial | undefined {
  if (origin !== 'provider' || !UNAUTHORIZED.has(status)) return undefined;
  return {
    kind: 'deny',
    type: 'upstream_unavailable',
    message: `the MCP server ${mcp?.server ?? ''} rejected the gateway's credentials (HTTP ${String(status)}): an operator can set them in mcp.servers[].headers`,
  };
}
