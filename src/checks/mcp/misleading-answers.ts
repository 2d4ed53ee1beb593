import type { Denial } from '../../pipeline/check.ts';
import type { Answered } from '../../pipeline/exchange.ts';

/** Of the server, or of a proxy before it. */
const UNAUTHORIZED: ReadonlySet<number> = new Set([401, 403, 407]);

/**
 * Refuses to hand on that a server wants other credentials: a client would take it for its own proxy key, and begin to
 * authorize itself at a server that it is no client of. Undefined for every other answer.
 */
export function refuseUnauthorized({ origin, status, mcp }: Answered): Denial | undefined {
  if (origin !== 'provider' || !UNAUTHORIZED.has(status)) return undefined;
  return {
    kind: 'deny',
    type: 'upstream_unavailable',
    message: `the MCP server ${mcp?.server ?? ''} refused the gateway (HTTP ${String(status)}): its operator sets its credentials in mcp.servers[].headers`,
  };
}
