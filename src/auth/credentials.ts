import { GatewayError } from '../errors.ts';
import { HEADER } from '../headers.ts';
import { addProxyKeys, MAX_CANDIDATES } from './carried-key.ts';
import { isProxyKey, RAW_KEY_PREFIX } from './raw-key.ts';

const BEARER = /^bearer[ \t]+/i;

/** Headers that contain credentials; never forwarded (docs/keys.md). */
const KEY_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  HEADER.providerKey,
]);

/** Query parameters that contain credentials, or signatures for another host; never forwarded. */
const KEY_PARAMETERS: ReadonlySet<string> = new Set(['key', 'access_token', 'oauth_token']);
const SIGNATURE_PARAMETER = /^x-amz-/;

export interface Credentials {
  /** Distinct values, in order of appearance: path, headers, query. */
  readonly proxyKeys: readonly string[];
  readonly providerKeys: readonly string[];
  /** The path without a key segment and without its query. */
  readonly path: string;
  /** The query without credentials, with its `?`; may be empty. */
  readonly query: string;
}

/**
 * Collects a request's credentials from everywhere an unmodified SDK may put one: path segment, `Authorization:
 * Bearer`, provider key headers, `X-Gateway-Provider-Key`, query. Other authorization schemes (SigV4, Basic) are for
 * another host and are ignored. A value that begins with `gw-` is a proxy key; any other is a provider key.
 * @param from with `headers`, proxy keys in path and query are ignored
 */
export function extractCredentials(
  headers: Iterable<readonly [string, string]>,
  target: string,
  from: 'anywhere' | 'headers' = 'anywhere',
): Credentials {
  const proxyKeys = new Set<string>();
  const providerKeys = new Set<string>();
  function take(value: string): void {
    if (isProxyKey(value)) proxyKeys.add(value);
    else if (value !== '') providerKeys.add(value);
  }

  function takeFromQuery(value: string): void {
    if (from === 'anywhere' || !isProxyKey(value)) take(value);
  }

  const mark = target.indexOf('?');
  let path = mark < 0 ? target : target.slice(0, mark);
  if (from === 'anywhere' && path.startsWith(`/${RAW_KEY_PREFIX}`)) {
    const end = path.indexOf('/', 1);
    take(path.slice(1, end < 0 ? path.length : end));
    path = end < 0 ? '/' : path.slice(end);
  }
  for (const [name, value] of headers) {
    if (!KEY_HEADERS.has(name)) continue;
    // Repeated headers may arrive merged; no credential contains a comma.
    for (const part of value.split(',')) {
      take(name === 'authorization' ? bearerToken(part.trim()) : part.trim());
    }
  }
  const query = mark < 0 ? '' : withoutKeys(target.slice(mark + 1), takeFromQuery);
  return { proxyKeys: [...proxyKeys], providerKeys: [...providerKeys], path, query };
}

function bearerToken(authorization: string): string {
  const scheme = BEARER.exec(authorization);
  return scheme === null ? '' : authorization.slice(scheme[0].length);
}

function withoutKeys(query: string, take: (value: string) => void): string {
  const kept = query.split('&').filter((part) => {
    const equals = part.indexOf('=');
    const name = percentDecoded(equals < 0 ? part : part.slice(0, equals)).toLowerCase();
    if (SIGNATURE_PARAMETER.test(name)) return false;
    if (!KEY_PARAMETERS.has(name)) return part !== '';
    if (equals >= 0) take(percentDecoded(part.slice(equals + 1)));
    return false;
  });
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text; // malformed
  }
}

export interface Travelling {
  readonly path: string;
  readonly query: string;
  readonly providerKey: string | undefined;
  readonly headers: ReadonlyMap<string, string>;
  readonly travels: (name: string) => boolean;
}

/**
 * Returns possible proxy keys in the parts that are sent upstream. Must be called only for requests with a valid key,
 * because other clients could probe for keys.
 * @throws GatewayError invalid_request if there are too many
 */
export function travellingKeys(request: Travelling): readonly string[] {
  const { path, query, providerKey = '', headers, travels } = request;
  const candidates = new Set<string>();
  addProxyKeys(path + query, candidates);
  addProxyKeys(providerKey, candidates);
  for (const [name, value] of headers) if (travels(name)) addProxyKeys(value, candidates);
  if (candidates.size > MAX_CANDIDATES) throw proxyKeyCarried();
  return [...candidates];
}

export function proxyKeyCarried(): GatewayError {
  return new GatewayError(
    'invalid_request',
    'the request contains a proxy key in a part that is forwarded upstream. Send it only once, without quotes, in Authorization: Bearer or in the path',
  );
}
