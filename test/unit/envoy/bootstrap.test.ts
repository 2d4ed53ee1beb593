import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ConfigInput } from '../../../src/config/schema.ts';
import type { EnvoyLayout, SidecarAddress } from '../../../src/envoy/layout.ts';
import { envoyBootstrap } from '../../../src/envoy/render.ts';
import { defaultConfig } from '../../support/default-config.ts';

const DATA = z.looseObject({});
type Data = z.infer<typeof DATA>;

const CLUSTER = z.looseObject({ name: z.string(), transport_socket: DATA.optional() });
const BOOTSTRAP = z.looseObject({
  static_resources: z.object({
    listeners: z.tuple([
      z.looseObject({
        filter_chains: z.tuple([
          z.looseObject({
            transport_socket: DATA.optional(),
            filters: z.tuple([
              z.object({
                name: z.string(),
                typed_config: z.looseObject({
                  http_filters: z.array(z.object({ name: z.string(), typed_config: DATA })),
                  route_config: z.looseObject({
                    virtual_hosts: z.tuple([z.looseObject({ routes: z.array(DATA) })]),
                  }),
                }),
              }),
            ]),
          }),
        ]),
      }),
    ]),
    clusters: z.array(CLUSTER),
  }),
});

const FILES = { cert_file: '/c.pem', key_file: '/k.pem' };
const UNIX: readonly SidecarAddress[] = [{ kind: 'unix', path: '/run/0.sock' }];

function bootstrap(input: ConfigInput = {}, sidecars: readonly SidecarAddress[] = UNIX) {
  const config = defaultConfig(input, { SERVER_INSECURE_DEV: 'true' });
  const layout: EnvoyLayout = {
    sidecars,
    adminSocketPath: '/run/admin.sock',
    systemCaFile: '/system.pem',
    accessLogPath: '/dev/stdout',
  };
  const parsed = BOOTSTRAP.parse(JSON.parse(JSON.stringify(envoyBootstrap(config, layout))));
  const [listener] = parsed.static_resources.listeners;
  const [chain] = listener.filter_chains;
  const manager = chain.filters[0].typed_config;
  return {
    whole: parsed as Data,
    listener,
    chain,
    manager,
    filters: manager.http_filters,
    routes: manager.route_config.virtual_hosts[0].routes,
    cluster: (name: string) => parsed.static_resources.clusters.find((cluster) => cluster.name === name),
  };
}

/** Only the fields with these names: a field left to Envoy's default is shown as undefined. */
function only(value: Data | undefined, names: readonly string[]): Data {
  return Object.fromEntries(names.map((name) => [name, value?.[name]]));
}

describe("Envoy's listener", () => {
  const { listener, manager, whole } = bootstrap();

  it('trusts no header of a client', () => {
    const expected = {
      use_remote_address: true,
      xff_num_trusted_hops: 0,
      // An internal client keeps its x-envoy-* headers and its x-request-id.
      internal_address_config: { cidr_ranges: [{ address_prefix: '255.255.255.255', prefix_len: 32 }] },
      generate_request_id: true,
      // By default, clients cannot choose the id; nothing may change that.
      preserve_external_request_id: undefined,
      always_set_request_id_in_response: undefined,
    };
    expect(only(manager, Object.keys(expected))).toEqual(expected);
    expect(manager['early_header_mutation_extensions']).toMatchObject([
      {
        typed_config: {
          mutations: [
            { remove: 'x-gateway-upstream' },
            { remove: 'x-gw-origin' },
            { remove: 'accept-encoding' },
          ],
        },
      },
    ]);
  });

  it('reveals nothing of Envoy to upstreams and clients', () => {
    const expected = {
      skip_xff_append: true,
      via: '',
      server_header_transformation: 'PASS_THROUGH',
      scheme_header_transformation: { match_upstream: true },
    };
    expect(only(manager, Object.keys(expected))).toEqual(expected);
  });

  it('allows only one reading of a path', () => {
    const expected = {
      normalize_path: true,
      merge_slashes: true,
      // The sidecar judges %2F, which Bedrock needs.
      path_with_escaped_slashes_action: 'KEEP_UNCHANGED',
      http_protocol_options: { accept_http_10: false, allow_absolute_url: true },
      upgrade_configs: undefined,
    };
    expect(only(manager, Object.keys(expected))).toEqual(expected);
  });

  it('limits the time and bytes of a client', () => {
    const expected = {
      request_headers_timeout: '10s',
      request_timeout: '30s',
      stream_idle_timeout: '300s',
      stream_flush_timeout: '120s',
      common_http_protocol_options: {
        headers_with_underscores_action: 'ALLOW',
        max_headers_count: 100,
        idle_timeout: '60s',
      },
      http2_protocol_options: {
        initial_stream_window_size: 2_097_152,
        initial_connection_window_size: 16_777_216,
      },
    };
    expect(only(manager, Object.keys(expected))).toEqual(expected);
    expect(listener['per_connection_buffer_limit_bytes']).toBe(2_097_152);
    expect(listener['socket_options']).toEqual([
      { level: 6, name: 18, int_value: 120_000, state: 'STATE_PREBIND' },
    ]);
  });

  it('requires TLS 1.2 or newer', () => {
    const { chain } = bootstrap({ server: { tls: FILES } });
    expect(chain.transport_socket).toMatchObject({
      name: 'tls',
      typed_config: {
        common_tls_context: {
          alpn_protocols: ['h2', 'http/1.1'],
          tls_params: { tls_minimum_protocol_version: 'TLSv1_2' },
        },
      },
    });
  });

  it('sheds load before its heap is full', () => {
    const heap = 'envoy.resource_monitors.fixed_heap';
    const [connections, memory] = [
      'type.googleapis.com/envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig',
      'type.googleapis.com/envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig',
    ];
    // Shares of envoy.max_heap_bytes; the monitor measures up to three times as much.
    const from = (share: number) => [{ name: heap, threshold: { value: share / 3 } }];
    const between = (beginning: number, all: number) => [
      { name: heap, scaled: { scaling_threshold: beginning / 3, saturation_threshold: all / 3 } },
    ];
    expect(whole['overload_manager']).toEqual({
      refresh_interval: '0.01s',
      resource_monitors: [
        {
          name: 'envoy.resource_monitors.global_downstream_max_connections',
          typed_config: { '@type': connections, max_active_downstream_connections: 50_000 },
        },
        { name: heap, typed_config: { '@type': memory, max_heap_size_bytes: 3 * 2_147_483_648 } },
      ],
      buffer_factory_config: { minimum_account_to_track_power_of_two: 14 },
      actions: [
        { name: 'envoy.overload_actions.reset_high_memory_stream', triggers: between(0.5, 3) },
        { name: 'envoy.overload_actions.shrink_heap', triggers: from(0.8) },
        { name: 'envoy.overload_actions.stop_accepting_requests', triggers: from(0.9) },
        { name: 'envoy.overload_actions.stop_accepting_connections', triggers: from(0.98) },
      ],
      loadshed_points: [
        { name: 'envoy.load_shed_points.http1_server_abort_dispatch', triggers: between(0.9, 1) },
      ],
    });
  });

  it('shows its admin interface only to its own user', () => {
    expect(whole['admin']).toEqual({ address: { pipe: { path: '/run/admin.sock', mode: 0o600 } } });
  });
});

describe("Envoy's filters", () => {
  const { filters } = bootstrap();
  const [, processor, router] = filters.map(({ typed_config }) => typed_config);

  it('are the gate, the sidecar and the router, and no others', () => {
    expect(filters.map(({ name }) => name)).toEqual([
      'response_gate',
      'envoy.filters.http.ext_proc',
      'envoy.filters.http.router',
    ]);
  });

  it('refuse requests that the sidecar has not judged', () => {
    expect(only(processor, Object.keys(processor ?? {}))).toEqual({
      '@type': 'type.googleapis.com/envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor',
      grpc_service: { envoy_grpc: { cluster_name: 'sidecar' }, timeout: '0s' },
      failure_mode_allow: false,
      status_on_error: { code: 'ServiceUnavailable' },
      message_timeout: '7.5s',
      allow_mode_override: true,
      processing_mode: {
        request_header_mode: 'SEND',
        request_body_mode: 'BUFFERED',
        request_trailer_mode: 'SEND',
        response_header_mode: 'SKIP',
        response_body_mode: 'NONE',
        response_trailer_mode: 'SKIP',
      },
      request_attributes: ['source.address'],
      response_attributes: ['response.code_details', 'response.flags'],
      metadata_options: { receiving_namespaces: { untyped: ['gw'] } },
      // The mark of a provider's answer is Envoy's: a sidecar that could set it could open the response gate.
      mutation_rules: {
        allow_all_routing: true,
        allow_envoy: true,
        disallow_expression: { regex: '^x-gw-origin$' },
      },
    });
  });

  it('send the sidecar its token', () => {
    const extproc = { address: '127.0.0.1:50051', token: '0123456789abcdef' };
    const [, withToken] = bootstrap({ server: { extproc } }).filters;
    expect(withToken?.typed_config).toMatchObject({
      grpc_service: { initial_metadata: [{ key: 'x-gateway-token', value: '0123456789abcdef' }] },
    });
  });

  it("mark a provider's answer, and forward no header of Envoy's own", () => {
    expect(router).toMatchObject({
      suppress_envoy_headers: true,
      upstream_http_filters: [
        {
          name: 'mark',
          typed_config: {
            mutations: {
              response_mutations: [
                {
                  append: {
                    header: { key: 'x-gw-origin', value: '1' },
                    append_action: 'OVERWRITE_IF_EXISTS_OR_ADD',
                  },
                },
              ],
            },
          },
        },
        { name: 'codec' },
      ],
    });
  });
});

describe("Envoy's routes", () => {
  const { routes } = bootstrap();
  const UPSTREAM_ROUTE = {
    // A route timeout would cut a long stream.
    route: { cluster_header: 'x-gateway-upstream', timeout: '0s', idle_timeout: '300s' },
    request_body_buffer_limit: 16_777_216,
    request_headers_to_remove: [
      'x-gateway-upstream',
      'x-forwarded-for',
      'x-forwarded-proto',
      'x-envoy-external-address',
      'x-envoy-internal',
    ],
  };
  const matching = (upstream: Data) => ({
    prefix: '/',
    headers: [
      { name: 'x-gateway-upstream', ...upstream },
      { name: ':method', string_match: { exact: 'HEAD' }, invert_match: true },
    ],
    dynamic_metadata: [{ filter: 'gw', path: [{ key: 'req' }], value: { string_match: { exact: 'ok' } } }],
  });

  it.each([
    ['mcp', { string_match: { prefix: 'mcp_' } }],
    ['provider', { present_match: true }],
  ])('lead to a cluster of kind %s only with a verdict of the sidecar', (name, upstream) => {
    const route = routes.find((one) => one['name'] === name);
    expect(route).toMatchObject(UPSTREAM_ROUTE);
    expect(route?.['match']).toEqual(matching(upstream));
    expect(route?.['metadata']).toEqual({ filter_metadata: { response_gate: { surface: name } } });
  });

  it('are closed to all other requests', () => {
    expect(routes.map(({ name }) => name)).toEqual(['mcp', 'provider', 'closed']);
    expect(routes.at(-1)).toEqual({
      name: 'closed',
      match: { prefix: '/' },
      direct_response: { status: 503 },
    });
  });

  it('never send a request to an upstream twice', () => {
    for (const route of routes) expect(JSON.stringify(route)).not.toContain('retry');
  });
});

describe("Envoy's upstreams", () => {
  it('must prove their name over TLS 1.2 or newer', () => {
    const cluster = bootstrap().cluster('provider_openai');
    const options = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
    expect(cluster).toMatchObject({
      typed_extension_protocol_options: {
        [options]: { upstream_http_protocol_options: { auto_sni: true, auto_san_validation: true } },
      },
      transport_socket: {
        name: 'tls',
        typed_config: {
          common_tls_context: {
            tls_params: { tls_minimum_protocol_version: 'TLSv1_2' },
            validation_context: { trusted_ca: { filename: '/system.pem' } },
          },
        },
      },
      connect_timeout: '5s',
      per_connection_buffer_limit_bytes: 1_048_576,
    });
    // Either of them would accept a certificate that validation refuses.
    expect(JSON.stringify(cluster)).not.toMatch(/ACCEPT_UNTRUSTED|allow_expired_certificate/);
  });

  it('include a sidecar that is checked every second', () => {
    expect(bootstrap().cluster('sidecar')).toMatchObject({
      type: 'STATIC',
      lb_policy: 'ROUND_ROBIN',
      connect_timeout: '0.5s',
      per_connection_buffer_limit_bytes: 16_777_216,
      health_checks: [
        {
          timeout: '1s',
          interval: '1s',
          unhealthy_threshold: 2,
          healthy_threshold: 1,
          grpc_health_check: {},
        },
      ],
    });
  });

  it('include a sidecar on another host only over mutual TLS', () => {
    const tls = { ...FILES, ca_file: '/ca.pem' };
    const extproc = { address: '10.0.0.1:50051', tls };
    const { cluster } = bootstrap({ server: { extproc } }, [{ kind: 'tcp', host: '10.0.0.1', port: 50_051 }]);
    expect(cluster('sidecar')?.transport_socket).toMatchObject({
      typed_config: {
        common_tls_context: {
          tls_certificates: [
            { certificate_chain: { filename: '/c.pem' }, private_key: { filename: '/k.pem' } },
          ],
          validation_context: { trusted_ca: { filename: '/ca.pem' } },
        },
      },
    });
  });
});
