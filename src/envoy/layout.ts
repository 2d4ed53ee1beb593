/** Paths and addresses around Envoy. Everything else is derived from gateway.yaml. */
export interface EnvoyLayout {
  readonly sidecars: readonly SidecarAddress[];
  /** In a private directory. */
  readonly adminSocketPath: string;
  /** The system's CA bundle, for providers without a `ca_file`. */
  readonly systemCaFile: string;
  readonly accessLogPath: string;
  /** Folder with SDS files for certificates. Without it, Envoy reads certificates only once, at start. */
  readonly secretsFolder?: string | undefined;
}

export type SidecarAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

export type EnvoyObject = { readonly [name: string]: EnvoyValue };
export type EnvoyValue = string | number | boolean | EnvoyObject | readonly EnvoyValue[];

export function typed(type: string, fields: EnvoyObject = {}): EnvoyObject {
  return { '@type': `type.googleapis.com/${type}`, ...fields };
}

export function extension(name: string, type: string, fields: EnvoyObject = {}): EnvoyObject {
  return { name, typed_config: typed(type, fields) };
}

export function tlsSocket(side: 'Downstream' | 'Upstream', context: EnvoyObject): EnvoyObject {
  const type = `envoy.extensions.transport_sockets.tls.v3.${side}TlsContext`;
  return { transport_socket: extension('tls', type, { common_tls_context: context }) };
}

export function luaFilter(name: string, source: string): EnvoyObject {
  const fields = { default_source_code: { inline_string: source } };
  return extension(name, 'envoy.extensions.filters.http.lua.v3.Lua', fields);
}

export function setHeader(key: string, value: string): EnvoyObject {
  return { header: { key, value }, append_action: 'OVERWRITE_IF_EXISTS_OR_ADD' };
}

export function loadAssignment(name: string, addresses: readonly EnvoyObject[]): EnvoyObject {
  return {
    cluster_name: name,
    endpoints: [{ lb_endpoints: addresses.map((address) => ({ endpoint: { address } })) }],
  };
}

/** Formats milliseconds as Envoy's duration, such as `2.5s`. */
export function seconds(ms: number): string {
  return `${ms / 1000}s`;
}
