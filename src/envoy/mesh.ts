import { stringify } from 'yaml';
import type { Config } from '../config/schema.ts';
import type { EnvoyLayout, EnvoyObject, EnvoyValue } from './layout.ts';
import { heapOverload } from './overload.ts';
import { envoyResources, RUNTIME } from './render.ts';

/** What the resources are called, and where they stand. */
export interface MeshNames {
  /** Of the resource; of Istio's gateway the label `app`, of Envoy Gateway's the `Gateway`. */
  readonly name: string;
  readonly namespace: string;
}

/**
 * Istio's `EnvoyFilter` (YAML) that puts the whole listener, with its gates, on the Envoy of the workload `app: <name>`. It
 * is added beside what Istio makes, not woven into it: a route or a filter of somebody else's between ours would lead past
 * the gates.
 */
export function renderIstio(config: Config, layout: EnvoyLayout, { name, namespace }: MeshNames): string {
  const { main, clusters } = envoyResources(config, layout);
  const patch = (applyTo: string, operation: string, value: EnvoyObject): EnvoyObject => ({
    applyTo,
    match: { context: 'GATEWAY' },
    patch: { operation, value },
  });
  return manifest(
    'networking.istio.io/v1alpha3',
    'EnvoyFilter',
    { name, namespace },
    {
      workloadSelector: { labels: { app: name } },
      configPatches: [
        {
          applyTo: 'BOOTSTRAP',
          patch: {
            operation: 'MERGE',
            value: {
              layered_runtime: { layers: [{ name: 'ai-firewall-gateway', static_layer: RUNTIME }] },
              overload_manager: heapOverload(config),
            },
          },
        },
        ...clusters.map((cluster) => patch('CLUSTER', 'ADD', cluster)),
        patch('LISTENER', 'ADD', { ...main, name: 'ai-firewall-gateway' }),
      ],
    },
  );
}

const CLUSTER_TYPE = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
const LISTENER_TYPE = 'type.googleapis.com/envoy.config.listener.v3.Listener';
/** Envoy Gateway's listener for `protocol: HTTPS`: TLS is its own, what is behind it is ours. */
const CONNECTION_MANAGER = '/filter_chains/0/filters/0/typed_config';

/**
 * Envoy Gateway's `EnvoyPatchPolicy` (YAML) for the listener `https` of the `Gateway` of this name: its connection manager
 * is replaced whole, since an `EnvoyExtensionPolicy` can say neither the gates nor what the sidecar may change.
 */
export function renderEnvoyGateway(config: Config, layout: EnvoyLayout, names: MeshNames): string {
  const { main, clusters } = envoyResources(config, layout);
  const { name, namespace } = names;
  const patch = (type: string, of: string, operation: EnvoyObject): EnvoyObject => ({
    type,
    name: of,
    operation,
  });
  const change = (op: 'add' | 'replace', path: string, value: EnvoyValue): EnvoyObject =>
    patch(LISTENER_TYPE, `${namespace}/${name}/https`, { op, path, value });
  return manifest('gateway.envoyproxy.io/v1alpha1', 'EnvoyPatchPolicy', names, {
    targetRef: { group: 'gateway.networking.k8s.io', kind: 'Gateway', name },
    type: 'JSONPatch',
    jsonPatches: [
      ...clusters.map((cluster) =>
        patch(CLUSTER_TYPE, String(cluster['name']), { op: 'add', path: '', value: cluster }),
      ),
      ...(['per_connection_buffer_limit_bytes', 'socket_options'] as const).map((field) =>
        change('add', `/${field}`, main[field] ?? ''),
      ),
      // At last: what it leads to is there by then.
      change('replace', CONNECTION_MANAGER, connectionManagerOf(main)),
    ],
  });
}

function connectionManagerOf({ filter_chains: chains }: EnvoyObject): EnvoyValue {
  const [chain] = chains as readonly EnvoyObject[];
  const [filter] = chain?.['filters'] as readonly EnvoyObject[];
  const manager = filter?.['typed_config'];
  if (manager === undefined) throw new Error('the listener has no connection manager');
  return manager;
}

function manifest(apiVersion: string, kind: string, metadata: MeshNames, spec: EnvoyObject): string {
  return stringify({ apiVersion, kind, metadata, spec }, { aliasDuplicateObjects: false, lineWidth: 0 });
}
