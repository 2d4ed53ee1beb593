import type { Config } from '../config/schema.ts';
import type { Provider, ProviderName } from '../providers/provider.ts';
import { providers } from '../providers/registry.ts';

/** Where a provider is reached; nothing in a request can choose another place. */
export interface Upstream {
  readonly provider: Provider;
  /** Name of Envoy's cluster, as the sidecar writes it into `x-gateway-upstream`. */
  readonly cluster: string;
  readonly tls: boolean;
  readonly host: string;
  readonly port: number;
  /** `:authority`, from which Envoy takes SNI and the name to verify. */
  readonly authority: string;
  /** Path of the base URL before its version, e.g. `/openai` for groq; empty where there is none. */
  readonly basePath: string;
  /** PEM bundle that verifies this provider in place of the system's. */
  readonly caFile: string | undefined;
}

/** The upstreams of a configuration; a provider without a base URL (azure, vllm) is absent. */
export function configuredUpstreams(config: Config): ReadonlyMap<ProviderName, Upstream> {
  const upstreams = new Map<ProviderName, Upstream>();
  for (const provider of Object.values(providers)) {
    const settings = config.providers[provider.name];
    const base = settings?.base_url ?? provider.defaultBaseUrl;
    if (base !== undefined)
      upstreams.set(provider.name, upstream(provider, new URL(base), settings?.ca_file));
  }
  return upstreams;
}

function upstream(provider: Provider, base: URL, caFile: string | undefined): Upstream {
  const tls = base.protocol === 'https:';
  return {
    provider,
    cluster: `provider_${provider.name}`,
    tls,
    host: base.hostname.replace(/^\[|\]$/g, ''),
    port: base.port === '' ? (tls ? 443 : 80) : Number(base.port),
    authority: base.host,
    // A base URL may end in `/v1`, as SDKs write it; the client's path carries its version itself.
    basePath: base.pathname.replace(/\/+$/, '').replace(/\/v\d+(beta\d*)?$/, ''),
    caFile,
  };
}
