import { GatewayError } from '../errors.ts';
import type { Answered } from '../pipeline/exchange.ts';

const NOT_MODIFIED = 304;
/** Statuses that repeat the request elsewhere (RFC 9110 sections 15.4.8, 15.4.9). */
const SAME_REQUEST: ReadonlySet<number> = new Set([307, 308]);
const PLACES = ['location', 'refresh'] as const;

export interface RefusedRedirect {
  readonly refusal: GatewayError;
  /** Whether the server processed nothing, so no costs arise. */
  readonly isUnprocessed: boolean;
}

/**
 * Refuses redirects: clients would follow them around the gateway, with prompt and headers. Also refuses a 3xx without
 * a target, except a 304 to a GET. Returns undefined for other answers.
 */
export function refusedRedirect(exchange: Answered): RefusedRedirect | undefined {
  const { status, method, answerHeaders } = exchange;
  if (status < 300 || status > 399) return undefined;
  const place = PLACES.map((name) => answerHeaders.get(name)).find((value) => value !== undefined);
  if (status === NOT_MODIFIED && method !== 'POST' && place === undefined) return undefined;
  const note =
    place === undefined
      ? `redirected (${String(status)})`
      : `redirected (${String(status)}) to ${hostOf(place)}`;
  return {
    refusal: new GatewayError('upstream_unavailable', messageFor(exchange), { note }),
    isUnprocessed: SAME_REQUEST.has(status),
  };
}

function messageFor({ status, mcp, provider }: Answered): string {
  const [who, setting] =
    mcp === undefined
      ? ['the provider', `providers.${provider.name}.base_url`]
      : ['the MCP server', 'mcp.servers[].url'];
  return `${who} redirected the request (HTTP ${String(status)}), which the gateway does not follow: an operator can set ${setting} to the final address`;
}

/** Base of relative addresses: a reserved name (RFC 2606). */
const ITSELF = 'itself.invalid';
const MAX_HOST_CHARS = 255;

/** Returns the host of an address, without path and query, which may contain a key. */
function hostOf(place: string): string {
  const address = place.replace(/^\d*\s*[;,]\s*(?:url\s*=\s*)?/i, '').replace(/^["']|["']$/g, '');
  if (!URL.canParse(address, `https://${ITSELF}`)) return 'an unreadable address';
  const { host } = new URL(address, `https://${ITSELF}`);
  if (host === ITSELF) return 'another path on the same host';
  return host === '' ? 'an address without a host' : host.slice(0, MAX_HOST_CHARS);
}
