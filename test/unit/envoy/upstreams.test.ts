import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import type { ConfigInput } from '../../../src/config/schema.ts';
import type { EnvoyLayout, SidecarAddress } from '../../../src/envoy/layout.ts';
import { renderIstio } from '../../../src/envoy/mesh.ts';
import { heapOverload } from '../../../src/envoy/overload.ts';
import { envoyBootstrap, RUNTIME } from '../../../src/envoy/render.ts';
import { defaultConfig } from '../../support/default-config.ts';

const CLUSTER = z.looseObject({
  name: z.string(),
  type: z.string(),
  transport_socket: z.looseObject({}).optional(),
});
const RESOURCES = z.object({
  listeners: z.tuple([z.looseObject({ per_connection_buffer_limit_bytes: z.int() })]),
  clusters: z.array(CLUSTER),
});

const UNIX: SidecarAddress = { kind: 'unix', path: '/run/0.sock' };
const LAYOUT: EnvoyLayout = {
  sidecars: [UNIX],
  adminSocketPath: '/run/admin.sock',
  systemCaFile: '/system.pem',
  accessLogPath: '/dev/stdout',
};
const PLAIN = { SERVER_INSECURE_DEV: 'true' };

function rendered(input: ConfigInput, layout: Partial<EnvoyLayout> = {}) {
  const bootstrap = envoyBootstrap(defaultConfig(input, PLAIN), { ...LAYOUT, ...layout });
  const text = JSON.stringify(bootstrap);
  const { listeners, clusters } = RESOURCES.parse(
    (JSON.parse(text) as { static_resources: unknown }).static_resources,
  );
  return {
    text,
    listener: listeners[0],
    cluster: (name: string) => clusters.find((one) => one.name === name),
  };
}

/** The type of a cluster, and the CA by which it verifies its upstream. */
function joined(input: ConfigInput, name: string) {
  const cluster = rendered(input).cluster(name);
  const [, caFile] = /"trusted_ca":\{"filename":"([^"]+)"/.exec(JSON.stringify(cluster)) ?? [];
  return { type: cluster?.type, caFile };
}

describe('a cluster of an upstream', () => {
  const openai = (base_url: string, ca_file?: string): ConfigInput => ({
    providers: { openai: { base_url, ...(ca_file !== undefined && { ca_file }) } },
  });
  const mcp = (url: string): ConfigInput => ({ mcp: { enabled: true, servers: [{ name: 'files', url }] } });

  it.each<[string, ConfigInput, string, string, string | undefined]>([
    ['a name', openai('https://one.test'), 'provider_openai', 'LOGICAL_DNS', '/system.pem'],
    [
      'a host name with its own CA',
      openai('https://one.test', '/own.pem'),
      'provider_openai',
      'LOGICAL_DNS',
      '/own.pem',
    ],
    ['an IPv4 address', openai('https://203.0.113.7'), 'provider_openai', 'STATIC', '/system.pem'],
    ['an IPv6 address', openai('https://[2001:db8::7]'), 'provider_openai', 'STATIC', '/system.pem'],
    ['an address without TLS', openai('http://127.0.0.1:9'), 'provider_openai', 'STATIC', undefined],
    ['an MCP server', mcp('https://files.test/mcp'), 'mcp_files', 'LOGICAL_DNS', '/system.pem'],
    ['an MCP server by its IP address', mcp('https://203.0.113.8/mcp'), 'mcp_files', 'STATIC', '/system.pem'],
  ])('with %s is resolved and verified accordingly', (_, input, name, type, caFile) => {
    expect(joined(input, name)).toEqual({ type, caFile });
  });
});

it.each<[string, readonly SidecarAddress[], string]>([
  ['a socket, which is static', [UNIX], 'STATIC'],
  [
    'a host name, of which all addresses are resolved',
    [{ kind: 'tcp', host: 'sidecar', port: 50_051 }],
    'STRICT_DNS',
  ],
])("the sidecar's cluster by %s", (_, sidecars, type) => {
  expect(rendered({}, { sidecars }).cluster('sidecar')?.type).toBe(type);
});

describe("Envoy's buffer of a request", () => {
  it.each<[string, number | undefined, ConfigInput['mcp'], number]>([
    ['the limit for providers', 3_000_000, { enabled: true, max_request_size: 2_000_000 }, 3_000_000],
    ['the limit for MCP', 2_000_000, { enabled: true, max_request_size: 3_000_000 }, 3_000_000],
    [
      'the limit for providers while MCP is off',
      2_000_000,
      { enabled: false, max_request_size: 3_000_000 },
      2_000_000,
    ],
    ['the smallest HTTP/2 window', 1_024, { enabled: false }, 65_536],
  ])('has the size of %s', (_, max_payload_bytes, mcp, bytes) => {
    const { listener, text } = rendered({ server: { max_payload_bytes }, mcp });
    expect(listener.per_connection_buffer_limit_bytes).toBe(bytes);
    expect(text).toContain(`"initial_stream_window_size":${String(bytes)},`);
  });
});

describe('the access log', () => {
  it.each([
    [
      '/dev/stdout',
      '"@type":"type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog"',
    ],
    [
      '/var/log/access.json',
      '"@type":"type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog","path":"/var/log/access.json"',
    ],
  ])('at %s is opened accordingly', (accessLogPath, expected) => {
    expect(rendered({}, { accessLogPath }).text).toContain(expected);
  });
});

it('a listener without TLS is rendered only if plain text is configured', () => {
  const config = defaultConfig({}, PLAIN);
  const withoutDev = { ...config, server: { ...config.server, insecure_dev: false } };
  expect(() => envoyBootstrap(withoutDev, LAYOUT)).toThrow(
    'TLS is required: set server.tls.cert_file and key_file',
  );
  expect(rendered({}).listener).not.toHaveProperty('filter_chains.0.transport_socket');
});

it("Istio's bootstrap gets the runtime flags and the heap's overload manager", () => {
  const config = defaultConfig({ envoy: { max_heap_bytes: 500_000_000 } }, PLAIN);
  const { spec } = parse(renderIstio(config, LAYOUT, { name: 'gw', namespace: 'ns' })) as {
    spec: { configPatches: { applyTo: string; patch: { operation: string; value: object } }[] };
  };
  const bootstraps = spec.configPatches.filter(({ applyTo }) => applyTo === 'BOOTSTRAP');
  expect(bootstraps.map(({ patch }) => patch)).toEqual([
    {
      operation: 'MERGE',
      value: {
        layered_runtime: { layers: [{ name: 'ai-firewall-gateway', static_layer: RUNTIME }] },
        overload_manager: JSON.parse(JSON.stringify(heapOverload(config))) as object,
      },
    },
  ]);
  expect(RUNTIME).toEqual({ 'envoy.reloadable_features.ext_proc_graceful_grpc_close': false });
});

describe('a second listener, for names with several targets', () => {
  const target = { provider: 'openai', model: 'm' } as const;
  const names = (on: '429'[]) => ({ models: { smart: [target, { ...target, on }] } });

  it('exists only if targets may be asked in turn', () => {
    const plain = JSON.stringify(envoyBootstrap(defaultConfig({}, PLAIN), LAYOUT));
    expect(JSON.stringify(envoyBootstrap(defaultConfig(names([]), PLAIN), LAYOUT))).toBe(plain);
    const { static_resources: resources } = envoyBootstrap(defaultConfig(names(['429']), PLAIN), LAYOUT) as {
      static_resources: { listeners: { name: string; internal_listener?: object }[] };
    };
    expect(resources.listeners).toMatchObject([
      { name: 'main' },
      { name: 'attempts', internal_listener: {} },
    ]);
  });

  it('is not for meshes', () => {
    const config = defaultConfig(names(['429']), PLAIN);
    expect(() => renderIstio(config, LAYOUT, { name: 'gw', namespace: 'ns' })).toThrow(
      /models\[\]\.on needs/,
    );
  });
});
