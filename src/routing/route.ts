import type { Config } from '../config/schema.ts';
import { GatewayError, methodNotAllowed } from '../errors.ts';
import { opaque } from '../providers/dialects/opaque.ts';
import { acceptedQuery } from '../providers/client-headers.ts';
import { assertModelName } from '../providers/model-name.ts';
import type { Endpoint } from '../providers/dialect.ts';
import { PROVIDER_NAMES, type ProviderName } from '../providers/registry.ts';
import { hasOwnRoot, intendedPath, shownPath, type RequestedPath } from './intended-path.ts';
import { assertPlainPath } from './path.ts';
import type { ProviderTarget, Target, McpServerTarget } from './target.ts';
import { createUnknownEndpoints } from './unknown-endpoints.ts';
import type { ProviderUpstream, Upstreams, McpUpstream } from './upstreams.ts';
import { mcpBodyless, mcpMessages, mcpToolCalls } from '../mcp/dialect.ts';
import type { McpTarget } from '../mcp/message.ts';

export type Route = (method: string, path: string, query: string) => Target;

const METHODS = ['GET', 'POST'] as const;
const UNKNOWN_ENDPOINT: Endpoint = { operation: 'unknown', dialect: opaque };

/**
 * Returns a function that finds the target of a path without its key segment: `/<provider>/<path>` or `/mcp/<server>…`.
 * @throws GatewayError unknown_provider, unknown_mcp_server, not_found, method_not_allowed, policy_denied,
 * invalid_request
 */
export function createRoute(config: Config, upstreams: Upstreams): Route {
  const toProvider = createProviderRoute(config, upstreams.providers);
  const toMcpServer = createMcpRoute(config, upstreams.mcpServers);
  return (method, fullPath, query) => {
    const { name, rest } = firstSegment(fullPath);
    return name === 'mcp' ? toMcpServer(method, fullPath) : toProvider(method, name, rest, query);
  };
}

function createProviderRoute(
  config: Config,
  upstreams: ReadonlyMap<ProviderName, ProviderUpstream>,
): (method: string, name: string, rest: string, query: string) => ProviderTarget {
  const unknown = createUnknownEndpoints(config);
  const maxRequestBytes = config.server.max_payload_bytes;
  return (method, name, rest, query) => {
    const upstream = findProvider(name, upstreams);
    assertPlainPath(rest, upstream.provider.name === 'bedrock');
    const path = withoutBasePath(upstream.basePath, rest);
    const { provider } = upstream;
    const known = METHODS.filter((each) => each === method);
    const sent = acceptedQuery(provider, query);
    // Checked with the original query, because some providers refuse certain queries, then read with the query that is
    // sent.
    const isKnown = known.length > 0 && provider.endpoint(method, path, query) !== undefined;
    const endpoint = isKnown ? provider.endpoint(method, path, sent) : undefined;
    if (endpoint !== undefined) {
      if (endpoint.model !== undefined) assertModelName(endpoint.model);
      return { kind: 'provider', upstream, endpoint, path, query: sent, maxRequestBytes };
    }

    const accepted = METHODS.filter((each) => provider.endpoint(each, path, query) !== undefined);
    if (known.length === 0 || accepted.length > 0)
      throw methodNotAllowed(accepted.length === 0 ? METHODS : accepted);
    const requested = { provider, basePath: upstream.basePath, method, path, query };
    const openSegments = unknown.open(requested);
    if (openSegments !== undefined) {
      const opened = { ...UNKNOWN_ENDPOINT, openSegments };
      return { kind: 'provider', upstream, endpoint: opened, path, query: sent, maxRequestBytes };
    }
    throw unknownEndpoint(requested, rest, unknown.mayBeOpened(requested));
  };
}

/** Removes the provider's base path, which clients may repeat but which must not be sent twice. */
function withoutBasePath(basePath: string, path: string): string {
  return basePath !== '' && path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}

function firstSegment(path: string): { name: string; rest: string } {
  const end = path.indexOf('/', 1);
  return end < 0 ? { name: path.slice(1), rest: '/' } : { name: path.slice(1, end), rest: path.slice(end) };
}

function findProvider(
  name: string,
  upstreams: ReadonlyMap<ProviderName, ProviderUpstream>,
): ProviderUpstream {
  const provider = PROVIDER_NAMES.find((known) => known === name);
  if (provider === undefined) {
    throw new GatewayError(
      'unknown_provider',
      `the path must begin with a provider: /<provider>/…, one of ${PROVIDER_NAMES.join(', ')}`,
    );
  }
  const upstream = upstreams.get(provider);
  if (upstream === undefined) {
    throw new GatewayError(
      'unknown_provider',
      `${provider} needs providers.${provider}.base_url in gateway.yaml`,
    );
  }
  return upstream;
}

/**
 * Shows the correct base URL if possible. Mentions `proxy.unknown_endpoints` only if an operator could open the path.
 * @param sent the path after the provider's segment, as the client sent it
 */
function unknownEndpoint(requested: RequestedPath, sent: string, mayBeOpened: boolean): GatewayError {
  const { name } = requested.provider;
  const shown = `${requested.method} ${shownPath(`/${name}${sent}`)}`;
  const intended = intendedPath(requested);
  if (intended !== undefined) {
    return new GatewayError(
      'not_found',
      `${shown} is not a path of ${name}; did you mean ${shownPath(`/${name}${intended}`)}? Correct the base URL`,
    );
  }
  if (!hasOwnRoot(requested)) {
    const roots = requested.provider.roots.map((root) => `/${name}${root}/…`).join(', ');
    return new GatewayError('not_found', `${shown} is not a path of ${name}: its paths begin with ${roots}`);
  }
  return new GatewayError(
    'policy_denied',
    `the gateway cannot inspect the endpoint ${shown}` +
      (mayBeOpened ? ': an operator can list it in proxy.unknown_endpoints' : ''),
  );
}

/** Endpoints by path form and HTTP method: Streamable HTTP, and the path for tool calls only. */
const FORMS: Readonly<Record<McpTarget['form'], ReadonlyMap<string, Endpoint>>> = {
  streamable_http: new Map([
    ['POST', { operation: 'mcp', dialect: mcpMessages }],
    ['GET', { operation: 'mcp', dialect: mcpBodyless }],
    ['DELETE', { operation: 'mcp', dialect: mcpBodyless }],
  ]),
  tools_call: new Map([['POST', { operation: 'mcp', dialect: mcpToolCalls }]]),
};

const TOOLS_CALL = '/tools/call';

/** No part of the client's path or query is added to the server's URL. */
function createMcpRoute(
  { mcp: { max_request_size } }: Config,
  servers: ReadonlyMap<string, McpUpstream>,
): (method: string, path: string) => McpServerTarget {
  return (method, path) => {
    const [, first = '', server = ''] = path.split('/', 3);
    const upstream = servers.get(server);
    if (upstream === undefined) {
      throw new GatewayError(
        'unknown_mcp_server',
        'no MCP server with this name is configured: an operator can add it to mcp.servers',
      );
    }
    const form = mcpForm(path.slice(`/${first}/${server}`.length));
    const endpoint = FORMS[form].get(method);
    if (endpoint === undefined) throw methodNotAllowed([...FORMS[form].keys()]);
    return {
      kind: 'mcp',
      upstream,
      endpoint,
      path,
      query: '',
      mcp: { server, form },
      maxRequestBytes: max_request_size,
    };
  };
}

function mcpForm(rest: string): McpTarget['form'] {
  if (rest === '') return 'streamable_http';
  if (rest === TOOLS_CALL) return 'tools_call';
  throw new GatewayError(
    'not_found',
    'the path of an MCP server is /mcp/<server> or /mcp/<server>/tools/call',
  );
}
