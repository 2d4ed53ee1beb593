import { GatewayError } from '../errors.ts';
import type { Answered } from '../pipeline/exchange.ts';

const NOT_MODIFIED = 304;
/** Statuses that make clients repeat the request elsewhere (RFC 9110 sections 15.4.8, 15.4.9). */
const SAME_REQUEST: ReadonlySet<number> = new Set([307, 308]);
const TARGET_HEADERS = ['location', 'refresh'] as const;

export interface RefusedRedirect {
  readonly refusal: GatewayError;
  /** Whether the server did not process the request, which therefore costs nothing. */
  readonly isUnprocessed: boolean;
}

/**
 * Refuses redirects, because clients would follow them past the gateway, with prompt and headers. Also refuses a 3xx
 * without a target, except a 304 to a request other than a POST. Returns undefined for other answers.
 */
export function refusedRedirect(exchange: Answered): RefusedRedirect | undefined {
  const { status, method, answerHeaders } = exchange;
  if (status < 300 || status > 399) return undefined;
  const target = TARGET_HEADERS.map((name) => answerHeaders.get(name)).find((value) => value !== undefined);
  if (status === NOT_MODIFIED && method !== 'POST' && target === undefined) return undefined;
  const note =
    target === undefined
      ? `redirected (${String(status)})`
      : `redirected (${String(status)}) to ${hostOf(target)}`;
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
  return `${who} redirected the request (HTTP ${String(status)}), which the gateway does not follow: an operator can set ${setting} to the final URL`;
}

/** Base host of relative URLs; a reserved name (RFC 2606). */
const ITSELF = 'itself.invalid';
const MAX_HOST_CHARS = 255;

/** Returns the host of a redirect target without path and query, which may contain a key. */
function hostOf(target: string): string {
  const url = target.replace(/^\d*\s*[;,]\s*(?:url\s*=\s*)?/i, '').replace(/^["']|["']$/g, '');
  if (!URL.canParse(url, `https://${ITSELF}`)) return 'an invalid URL';
  const { host } = new URL(url, `https://${ITSELF}`);
  if (host === ITSELF) return 'another path on the same host';
  return host === '' ? 'a URL without a host' : host.slice(0, MAX_HOST_CHARS);
}
