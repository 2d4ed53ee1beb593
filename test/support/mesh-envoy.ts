import { parse } from 'yaml';
import type { EnvoyObject, EnvoyValue } from '../../src/envoy/layout.ts';

/** Istio's start configuration of Envoy, as far as a patch can affect it. */
const ISTIO_BOOTSTRAP: EnvoyObject = {
  layered_runtime: {
    layers: [
      { name: 'global config', static_layer: { 're2.max_program_size.error_level': 32_768 } },
      { name: 'admin', admin_layer: {} },
    ],
  },
  overload_manager: {
    resource_monitors: [
      {
        name: 'envoy.resource_monitors.global_downstream_max_connections',
        typed_config: {
          '@type':
            'type.googleapis.com/envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig',
          max_active_downstream_connections: 2_147_483_647,
        },
      },
    ],
  },
};

/** Envoy's bootstrap as Istio creates it from an `EnvoyFilter`, with its xDS resources inlined. */
export function withEnvoyFilter(manifest: string, adminSocketPath: string): EnvoyObject {
  const { spec } = parse(manifest) as {
    readonly spec: {
      readonly configPatches: readonly {
        readonly applyTo: string;
        readonly patch: { readonly operation: string; readonly value: EnvoyObject };
      }[];
    };
  };
  const valuesOf = (applyTo: string, operation: string): EnvoyObject[] =>
    spec.configPatches
      .filter((one) => one.applyTo === applyTo && one.patch.operation === operation)
      .map(({ patch }) => patch.value);
  const merged = valuesOf('BOOTSTRAP', 'MERGE').reduce(merge, ISTIO_BOOTSTRAP);
  return {
    ...merged,
    admin: { address: { pipe: { path: adminSocketPath } } },
    static_resources: { listeners: valuesOf('LISTENER', 'ADD'), clusters: valuesOf('CLUSTER', 'ADD') },
  };
}

/** Merges like protobuf: lists are joined. */
function merge(base: EnvoyObject, over: EnvoyObject): EnvoyObject {
  const merged: Record<string, EnvoyValue> = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const below = merged[name];
    if (Array.isArray(below) && Array.isArray(value)) merged[name] = [...(below as []), ...(value as [])];
    else merged[name] = isObject(below) && isObject(value) ? merge(below, value) : value;
  }
  return merged;
}

/** The listener that Envoy Gateway creates for `protocol: HTTPS`, with its certificate from files instead of xDS. */
export function envoyGatewayListener(
  name: string,
  port: number,
  certFile: string,
  keyFile: string,
): EnvoyObject {
  return {
    name,
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
    filter_chains: [
      {
        name,
        filters: [
          {
            name: 'envoy.filters.network.http_connection_manager',
            typed_config: {
              '@type':
                'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
              stat_prefix: 'https-10443',
              route_config: { name: 'closed', virtual_hosts: [] },
              http_filters: [
                {
                  name: 'envoy.filters.http.router',
                  typed_config: {
                    '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router',
                  },
                },
              ],
            },
          },
        ],
        transport_socket: {
          name: 'envoy.transport_sockets.tls',
          typed_config: {
            '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext',
            common_tls_context: {
              alpn_protocols: ['h2', 'http/1.1'],
              tls_certificates: [
                { certificate_chain: { filename: certFile }, private_key: { filename: keyFile } },
              ],
            },
          },
        },
      },
    ],
    per_connection_buffer_limit_bytes: 32_768,
  };
}

/** Envoy's bootstrap as Envoy Gateway creates it from an `EnvoyPatchPolicy` for this listener. */
export function withPatchPolicy(
  manifest: string,
  listener: EnvoyObject,
  adminSocketPath: string,
  runtime: EnvoyObject,
): EnvoyObject {
  const { spec } = parse(manifest) as {
    readonly spec: {
      readonly jsonPatches: readonly {
        readonly type: string;
        readonly name: string;
        readonly operation: { readonly op: string; readonly path: string; readonly value: EnvoyValue };
      }[];
    };
  };
  const patched = structuredClone(listener);
  const clusters: EnvoyValue[] = [];
  for (const { type, name, operation } of spec.jsonPatches) {
    if (type.endsWith('.Cluster') && operation.op === 'add' && operation.path === '') {
      clusters.push(operation.value);
    } else if (type.endsWith('.Listener') && name === listener['name']) put(patched, operation);
    else throw new Error(`Envoy Gateway has no ${type} ${name}`);
  }
  return {
    admin: { address: { pipe: { path: adminSocketPath } } },
    layered_runtime: { layers: [{ name: 'global_config', static_layer: runtime }] },
    static_resources: { listeners: [patched], clusters },
  };
}

/** RFC 6902; replaced values must exist. */
function put(
  target: EnvoyObject,
  { op, path, value }: { readonly op: string; readonly path: string; readonly value: EnvoyValue },
): void {
  const names = path.split('/').slice(1);
  const last = names.pop() ?? '';
  let at = target as Record<string, EnvoyValue>;
  for (const name of names) {
    const next = at[name];
    if (typeof next !== 'object') throw new Error(`${path} leads nowhere`);
    at = next as Record<string, EnvoyValue>;
  }
  if (op === 'replace' && !(last in at)) throw new Error(`${path} is not there to be replaced`);
  at[last] = value;
}

function isObject(value: EnvoyValue | undefined): value is EnvoyObject {
  return typeof value === 'object' && !Array.isArray(value);
}
