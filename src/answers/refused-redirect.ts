import { GatewayError } from '../errors.ts';
import type { Answered } from '../pipeline/exchange.ts';

const NOT_MODIFIED = 304;
/** These ask for the same request elsewhere (RFC 9110 sections 15.4.8, 15.4.9). */
const SAME_REQUEST: ReadonlySet<number> = new Set([307, 308]);
/** Headers that some client follows. */
const PLACES = ['location', 'refresh'] as const;

export interface RefusedRedirect {
  readonly refusal: GatewayError;
  /** The server did nothing, so there is nothing to pay for. */
  readonly isUnprocessed: boolean;
}

/**
 * Refuses an answer that moves its client. Clients follow redirects unasked: past the gateway, with the prompt and every
 * header of theirs. Without a place to go to, a 3xx is no answer either; only a 304 to a GET is one. Undefined for
 * every other answer.
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
  return `${who} redirects (HTTP ${String(status)}), which is not followed: an operator can set ${setting} to the final address`;
}

/** Resolves an address without a host; RFC 2606 keeps the name from being anybody's. */
const ITSELF = 'itself.invalid';
const MAX_HOST_CHARS = 255;

/** The host that a header leads to: never its path or query, which may hold a key. */
function hostOf(place: string): string {
  const address = place.replace(/^\d*\s*[;,]\s*(?:url\s*=\s*)?/i, '').replace(/^["']|["']$/g, '');
  if (!URL.canParse(address, `https://${ITSELF}`)) return 'an address that cannot be read';
  const { host } = new URL(address, `https://${ITSELF}`);
  if (host === ITSELF) return 'another path of its own';
  return host === '' ? 'an address without a host' : host.slice(0, MAX_HOST_CHARS);
}
