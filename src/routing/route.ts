import type { Config } from '../config/schema.ts';
import { GatewayError } from '../errors.ts';
import { opaque } from '../providers/dialects/opaque.ts';
import { PROVIDER_NAMES, type Endpoint, type ProviderName } from '../providers/provider.ts';
import { assertPlainPath } from './path.ts';
import type { Upstream } from './upstreams.ts';

/** Where a request wants to go, once its path is judged. */
export interface Target {
  readonly upstream: Upstream;
  readonly endpoint: Endpoint;
  /** The provider's own path, without its base path. */
  readonly path: string;
}

export type Route = (method: string, path: string, query: string) => Target;

const METHODS = ['GET', 'POST'] as const;
const UNKNOWN_ENDPOINT: Endpoint = { operation: 'unknown', dialect: opaque };

/**
 * Finds provider and endpoint of a path without its key segment (`/<provider>/<path>`).
 * @throws GatewayError unknown_provider, unknown_mcp_server, method_not_allowed, policy_denied, invalid_request
 */
export function createRoute(config: Config, upstreams: ReadonlyMap<ProviderName, Upstream>): Route {
  const allowUnknown = config.proxy.unknown_endpoints === 'allow';
  return (method, fullPath, query) => {
    const { name, rest } = firstSegment(fullPath);
    const upstream = findUpstream(name, upstreams);
    assertPlainPath(rest, upstream.provider.name === 'bedrock');
    const path = withoutBasePath(upstream.basePath, rest);
    const { provider } = upstream;
    const known = METHODS.filter((each) => each === method);
    const endpoint = known.length > 0 ? provider.endpoint(method, path, query) : undefined;
    if (endpoint !== undefined) return { upstream, endpoint, path };

    const takes = METHODS.filter((each) => provider.endpoint(each, path, query) !== undefined);
    if (known.length === 0 || takes.length > 0) throw methodNotAllowed(takes);
    if (allowUnknown) return { upstream, endpoint: UNKNOWN_ENDPOINT, path };
    throw new GatewayError(
      'policy_denied',
      `this ${provider.name} endpoint is not one the gateway can inspect; ` +
        'proxy.unknown_endpoints: allow would let it pass uninspected',
    );
  };
}

function methodNotAllowed(takes: readonly string[]): GatewayError {
  const allow = (takes.length === 0 ? METHODS : takes).join(', ');
  return new GatewayError('method_not_allowed', `this path takes ${allow}`, { headers: { allow } });
}

/** A client may or may not repeat the provider's base path; it is never doubled. */
function withoutBasePath(basePath: string, path: string): string {
  return basePath !== '' && path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}

function firstSegment(path: string): { name: string; rest: string } {
  const end = path.indexOf('/', 1);
  return end < 0 ? { name: path.slice(1), rest: '/' } : { name: path.slice(1, end), rest: path.slice(end) };
}

function findUpstream(name: string, upstreams: ReadonlyMap<ProviderName, Upstream>): Upstream {
  if (name === 'mcp')
    throw new GatewayError('unknown_mcp_server', 'no MCP server of this name is configured');
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
