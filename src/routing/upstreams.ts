import type { Config } from '../config/schema.ts';
import { type Provider, type ProviderName, providers } from '../providers/registry.ts';

export const MCP_CLUSTER_PREFIX = 'mcp_';

/** A request destination. Nothing in a request can select any other. */
export interface Upstream {
  /** Envoy cluster name, which the sidecar writes into the `x-gateway-upstream` header. */
  readonly cluster: string;
  readonly tls: boolean;
  readonly host: string;
  readonly port: number;
  /** The `:authority`, from which Envoy derives SNI and the certificate name to verify. */
  readonly authority: string;
  /** Path of a PEM bundle that verifies this upstream instead of the system's bundle. */
  readonly caFile: string | undefined;
}

export interface ProviderUpstream extends Upstream {
  readonly provider: Provider;
  /** Path of the base URL without its version, such as `/openai` for groq; may be empty. */
  readonly basePath: string;
}

export interface McpUpstream extends Upstream {
  /** Path and query of the server's URL. No others are ever sent. May contain a credential. */
  readonly path: string;
  /** `mcp.servers[].headers` with names in lower case, sent with every request. Most of them are credentials. */
  readonly headers: ReadonlyMap<string, string>;
}

export interface Upstreams {
  /** Excludes providers without a base URL (azure and vllm by default). */
  readonly providers: ReadonlyMap<ProviderName, ProviderUpstream>;
  /** By server name; empty unless `mcp.enabled`. */
  readonly mcpServers: ReadonlyMap<string, McpUpstream>;
}

export function configuredUpstreams(config: Config): Upstreams {
  const mcpServers = config.mcp.enabled ? config.mcp.servers : [];
  return {
    providers: configuredProviders(config),
    mcpServers: new Map(mcpServers.map((server) => [server.name, mcpUpstream(server)])),
  };
}

function configuredProviders(config: Config): ReadonlyMap<ProviderName, ProviderUpstream> {
  const upstreams = new Map<ProviderName, ProviderUpstream>();
  for (const provider of Object.values(providers)) {
    const settings = config.providers[provider.name];
    const base = settings?.base_url ?? provider.defaultBaseUrl;
    if (base !== undefined)
      upstreams.set(provider.name, providerUpstream(provider, new URL(base), settings?.ca_file));
  }
  return upstreams;
}

function providerUpstream(provider: Provider, base: URL, caFile: string | undefined): ProviderUpstream {
  return {
    ...upstream(`provider_${provider.name}`, base, caFile),
    provider,
    // A base URL may end in `/v1`, as in SDKs. The client's path already contains the version.
    basePath: base.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/v\d+(beta\d*)?$/, ''),
  };
}

function mcpUpstream(server: Config['mcp']['servers'][number]): McpUpstream {
  const url = new URL(server.url);
  return {
    ...upstream(MCP_CLUSTER_PREFIX + server.name, url, undefined),
    path: url.pathname + url.search,
    headers: new Map(Object.entries(server.headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
}

function upstream(cluster: string, url: URL, caFile: string | undefined): Upstream {
  const tls = url.protocol === 'https:';
  return {
    cluster,
    tls,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (tls ? 443 : 80) : Number(url.port),
    authority: url.host,
    caFile,
  };
}
