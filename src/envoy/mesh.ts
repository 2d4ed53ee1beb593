import { stringify } from 'yaml';
import type { Config } from '../config/schema.ts';
import type { EnvoyLayout, EnvoyObject, EnvoyValue } from './layout.ts';
import { hasFallbacks } from '../routes/fallbacks.ts';
import { heapOverload } from './overload.ts';
import { envoyResources, RUNTIME } from './render.ts';

export interface MeshNames {
  /** Also the label `app` of Istio's gateway, or the name of Envoy Gateway's `Gateway`. */
  readonly name: string;
  readonly namespace: string;
}

/**
 * Renders Istio's `EnvoyFilter` (YAML), which adds the whole listener with its gates to the Envoy of the workload
 * `app: <name>`. Does not change Istio's own listener, where a foreign route or filter could bypass the gates.
 */
export function renderIstio(config: Config, layout: EnvoyLayout, { name, namespace }: MeshNames): string {
  const { main, clusters } = meshResources(config, layout);
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

/** @throws Error if the configuration needs a second listener, which meshes do not allow */
function meshResources(config: Config, layout: EnvoyLayout): ReturnType<typeof envoyResources> {
  if (hasFallbacks(config)) {
    throw new Error(
      'models[].on needs a second listener, which a mesh does not allow: remove it (docs/routes.md)',
    );
  }
  return envoyResources(config, layout);
}

const CLUSTER_TYPE = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
const LISTENER_TYPE = 'type.googleapis.com/envoy.config.listener.v3.Listener';
/**
 * Path of the connection manager in Envoy Gateway's `protocol: HTTPS` listener. Replacing only this part keeps the
 * listener's TLS.
 */
const CONNECTION_MANAGER = '/filter_chains/0/filters/0/typed_config';

/**
 * Renders Envoy Gateway's `EnvoyPatchPolicy` (YAML) for the listener `https` of the `Gateway` of this name. Replaces
 * the connection manager, because an `EnvoyExtensionPolicy` cannot express the gates or the mutation rules.
 */
export function renderEnvoyGateway(config: Config, layout: EnvoyLayout, names: MeshNames): string {
  const { main, clusters } = meshResources(config, layout);
  const { name, namespace } = names;
  const patch = (type: string, target: string, operation: EnvoyObject): EnvoyObject => ({
    type,
    name: target,
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
      // Must be last, because the routes need the clusters.
      change('replace', CONNECTION_MANAGER, connectionManagerOf(main)),
    ],
  });
}

function connectionManagerOf({ filter_chains: chains }: EnvoyObject): EnvoyValue {
  const [chain] = chains as readonly EnvoyObject[];
  const [filter] = (chain?.['filters'] ?? []) as readonly EnvoyObject[];
  const manager = filter?.['typed_config'];
  if (manager === undefined) throw new Error('the listener has no connection manager');
  return manager;
}

function manifest(apiVersion: string, kind: string, metadata: MeshNames, spec: EnvoyObject): string {
  return stringify({ apiVersion, kind, metadata, spec }, { aliasDuplicateObjects: false, lineWidth: 0 });
}
