/** `npm run docs` writes the Helm chart files that are generated from other sources. A test compares them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { RE2JS } from 're2js';
import * as z from 'zod';
import { configJsonSchema } from './src/config/schema.ts';
import { PRESET_NAMES } from './src/policy/presets.ts';

export const CHART = join(import.meta.dirname, 'deploy', 'helm', 'ai-firewall-gateway');

/** Helm cannot read files outside a chart, and npm does not pack links. */
const COPIES = {
  'files/alerts.yaml': 'deploy/prometheus/alerts.yaml',
  'files/dashboard.json': 'deploy/grafana/gateway.json',
  'files/run-envoy.sh': 'deploy/kubernetes/run-envoy.sh',
} as const;

/** Returns the text of each generated file by its path in the chart. */
export async function chartFiles(): Promise<Readonly<Record<string, string>>> {
  const copies = Object.entries(COPIES).map(([copy, source]) => [copy, read(source)] as const);
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const chart = readFileSync(join(CHART, 'Chart.yaml'), 'utf8');
  return {
    ...Object.fromEntries(copies),
    'Chart.yaml': chart.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`),
    'values.schema.json': await format(JSON.stringify(valuesSchema()), {
      ...(await resolveConfig(join(CHART, 'values.schema.json'))),
      parser: 'json',
    }),
  };
}

function read(path: string): string {
  return readFileSync(join(import.meta.dirname, path), 'utf8');
}

const text = z.string();
const texts = z.array(text);
const isEnabled = z.boolean();
const count = z.int().min(1);
const seconds = z.int().min(0).max(3600);
/** Passed to Kubernetes, which validates it. */
const object = z.looseObject({});
const objects = z.array(object);
const strings = z.record(text, text);
const image = z.strictObject({
  repository: text.min(1),
  tag: text,
  digest: text.regex(/^(sha256:[0-9a-f]{64})?$/),
  pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']),
});
const monitor = z.strictObject({ enabled: isEnabled, interval: text, labels: strings });
const limitedMemory = z.looseObject({ limits: z.looseObject({ memory: z.union([text, z.int()]) }) });
const variable = text.regex(/^[A-Z_][A-Z0-9_]*$/);

const redis = z.strictObject({
  addr: text,
  sentinel: z.strictObject({ addrs: texts, masterName: text }),
  cluster: z.strictObject({ addrs: texts }),
  existingSecret: z.strictObject({ name: text, addrKey: text, passwordKey: text, sentinelPasswordKey: text }),
  tls: z.strictObject({
    enabled: isEnabled,
    serverName: text,
    caSecret: z.strictObject({ name: text, key: text.min(1) }),
    clientSecret: text,
  }),
});

const values = z.strictObject({
  // Helm adds `global` if the chart is a dependency of another.
  global: object.optional(),
  nameOverride: text,
  fullnameOverride: text,
  replicas: z.int().min(0),
  image,
  imagePullSecrets: objects,
  config: object,
  policies: z.strictObject({
    presets: z.array(z.enum(PRESET_NAMES)),
    files: z.record(text.regex(/^[A-Za-z0-9._-]+\.(ya?ml|rego)$/), z.union([text, object])),
  }),
  redis,
  tls: z.strictObject({ existingSecret: text.min(1) }),
  secretEnv: z.array(
    z.strictObject({ name: variable, secret: text.min(1), key: text.min(1), optional: isEnabled.optional() }),
  ),
  env: objects,
  extraVolumes: objects,
  extraVolumeMounts: objects,
  envoy: z.strictObject({ image, resources: limitedMemory }),
  sidecar: z.strictObject({ resources: object }),
  render: z.strictObject({ resources: object }),
  drain: z.strictObject({ endpointsSeconds: seconds, seconds }),
  service: z.strictObject({
    type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer']),
    port: z.int().min(1).max(65535),
    annotations: strings,
    loadBalancerClass: text,
    externalTrafficPolicy: z.enum(['', 'Cluster', 'Local']),
  }),
  serviceAccount: z.strictObject({ create: isEnabled, name: text, annotations: strings }),
  monitoring: z.strictObject({
    serviceMonitor: monitor,
    podMonitor: monitor,
    prometheusRule: z.strictObject({ enabled: isEnabled, labels: strings }),
    dashboard: z.strictObject({ enabled: isEnabled, labels: strings, annotations: strings }),
  }),
  autoscaling: z.strictObject({
    enabled: isEnabled,
    minReplicas: count,
    maxReplicas: count,
    targetCPU: z.int().min(1).max(1000),
  }),
  podDisruptionBudget: z.strictObject({
    enabled: isEnabled,
    minAvailable: z.union([count, text.regex(/^\d{1,3}%$/)]),
  }),
  networkPolicy: z.strictObject({
    enabled: isEnabled,
    clients: objects,
    metrics: objects,
    dns: objects,
    redisPorts: z.array(z.int().min(1).max(65535)),
    egress: objects,
  }),
  topologySpreadConstraints: objects,
  podSecurityContext: object,
  securityContext: object,
  podAnnotations: strings,
  podLabels: strings,
  nodeSelector: strings,
  tolerations: objects,
  affinity: object,
  priorityClassName: text,
});

/** Joins the chart's own values with the schema of gateway.yaml, so that Helm rejects misspelled keys of `config`. */
function valuesSchema(): object {
  const schema = z.toJSONSchema(values, { io: 'input' });
  const { $schema: _, ...config } = configJsonSchema();
  return { ...schema, properties: { ...schema.properties, config: withoutForeignPatterns(config) } };
}

/** Drops patterns that Go cannot compile, such as lookaheads, since Helm would refuse the whole schema. */
function withoutForeignPatterns(schema: object): unknown {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === 'pattern' && typeof value === 'string' && !compiles(value) ? undefined : value,
    ),
  );
}

function compiles(pattern: string): boolean {
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] === import.meta.filename) {
  for (const [path, content] of Object.entries(await chartFiles())) writeFileSync(join(CHART, path), content);
}
