import { stringify } from 'yaml';
import { approvalPatience } from '../config/cross-field-rules.ts';
import type { Config } from '../config/schema.ts';
import { HEADER } from '../headers.ts';
import { ATTEMPTS_CLUSTER } from '../routes/fallbacks.ts';
import { configuredUpstreams, MCP_CLUSTER_PREFIX } from '../routing/upstreams.ts';
import { ANSWER_BUFFER_BYTES, requestBufferBytes } from './buffers.ts';
import { attemptParts, MAX_ATTEMPTS, type AttemptParts } from './attempts.ts';
import { upstreamCluster, sidecarCluster } from './clusters.ts';
import { httpFilters, RESPONSE_GATE_NAME, WITHHELD_HEADERS } from './http-filters.ts';
import { extension, seconds, tlsSocket, typed, type EnvoyLayout, type EnvoyObject } from './layout.ts';
import { ACCESS_LOG_FILTER, localReplies, REQUEST_ID } from './local-replies.ts';
import { overloadManager } from './overload.ts';
import { tlsContext } from './secrets.ts';

const IPPROTO_TCP = 6;
const TCP_USER_TIMEOUT = 18;

/** Envoy crashes if this flag is on. `liftResetGuard` in the sidecar makes it unnecessary. */
export const RUNTIME: EnvoyObject = { 'envoy.reloadable_features.ext_proc_graceful_grpc_close': false };

const NODE = 'ai-firewall-gateway';

/** Renders Envoy's bootstrap as YAML, for people to read. */
export function renderEnvoy(config: Config, layout: EnvoyLayout): string {
  return stringify(envoyBootstrap(config, layout), { aliasDuplicateObjects: false, lineWidth: 0 });
}

/** Returns Envoy's bootstrap: the listener, the routes to providers and MCP servers, and the gates. */
export function envoyBootstrap(config: Config, layout: EnvoyLayout): EnvoyObject {
  const { main, clusters, attempts } = envoyResources(config, layout);
  return {
    ...(layout.secretsFolder === undefined ? {} : { node: { id: NODE, cluster: NODE } }),
    admin: { address: { pipe: { path: layout.adminSocketPath, mode: 0o600 } } },
    overload_manager: overloadManager(config),
    layered_runtime: { layers: [{ name: 'static', static_layer: RUNTIME }] },
    static_resources: { listeners: [main, ...attempts.listeners], clusters },
    ...attempts.bootstrap,
  };
}

/** Returns the listener with its gates, and all clusters that it uses. */
export function envoyResources(
  config: Config,
  layout: EnvoyLayout,
): {
  readonly main: EnvoyObject;
  readonly clusters: readonly EnvoyObject[];
  /** The second listener, if `models` needs one; its cluster is in `clusters`. */
  readonly attempts: AttemptParts;
} {
  const { providers, mcpServers } = configuredUpstreams(config);
  const upstreams = [...providers.values(), ...mcpServers.values()];
  const attempts = attemptParts(config);
  return {
    attempts,
    main: listener(config, layout),
    clusters: [
      sidecarCluster(config, layout),
      ...upstreams.map((upstream) => upstreamCluster(upstream, config, layout)),
      ...attempts.clusters,
    ],
  };
}

function listener(config: Config, layout: EnvoyLayout): EnvoyObject {
  return {
    name: 'main',
    address: { socket_address: { address: config.server.host, port_value: config.server.port } },
    // For HTTP/1.1, where this also limits a stream's buffer. The route raises the limit for the answer.
    per_connection_buffer_limit_bytes: requestBufferBytes(config),
    // `server.write_timeout`: the only way to disconnect an HTTP/1.1 client that stops reading (Linux only).
    socket_options: [
      {
        level: IPPROTO_TCP,
        name: TCP_USER_TIMEOUT,
        int_value: config.server.write_timeout,
        state: 'STATE_PREBIND',
      },
    ],
    filter_chains: [
      {
        ...downstreamTls(config, layout),
        filters: [{ name: 'http', typed_config: connectionManager(config, layout) }],
      },
    ],
  };
}

function downstreamTls(config: Config, layout: EnvoyLayout): EnvoyObject {
  const { cert_file, key_file } = config.server.tls;
  if (cert_file === undefined || key_file === undefined) {
    if (!config.server.insecure_dev)
      throw new Error('TLS is required: set server.tls.cert_file and key_file');
    return {};
  }
  return tlsSocket('Downstream', {
    alpn_protocols: ['h2', 'http/1.1'],
    tls_params: { tls_minimum_protocol_version: 'TLSv1_2' },
    ...tlsContext({ path: 'server.tls', cert_file, key_file }, layout),
  });
}

function connectionManager(config: Config, layout: EnvoyLayout): EnvoyObject {
  const { server, proxy } = config;
  return typed('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
    stat_prefix: 'main',
    codec_type: 'AUTO',
    use_remote_address: true,
    xff_num_trusted_hops: config.auth.trusted_hops,
    // With no internal address, Envoy drops every client's x-envoy-* and x-request-id headers; `{}` would accept them.
    internal_address_config: { cidr_ranges: [{ address_prefix: '255.255.255.255', prefix_len: 32 }] },
    skip_xff_append: true,
    via: '',
    server_header_transformation: 'PASS_THROUGH',
    scheme_header_transformation: { match_upstream: true },
    generate_request_id: true, // %STREAM_ID% reads x-request-id, so no route may remove it
    normalize_path: true,
    merge_slashes: true,
    path_with_escaped_slashes_action: 'KEEP_UNCHANGED', // Bedrock ARNs contain %2F; the sidecar judges the path
    http_protocol_options: { accept_http_10: false, allow_absolute_url: true },
    http2_protocol_options: {
      initial_stream_window_size: requestBufferBytes(config), // also bounds a stream's buffer
      initial_connection_window_size: ANSWER_BUFFER_BYTES,
    },
    common_http_protocol_options: {
      headers_with_underscores_action: 'ALLOW',
      max_headers_count: 100,
      idle_timeout: '60s',
    },
    request_headers_timeout: seconds(Math.min(server.read_timeout, 10_000)),
    request_timeout: seconds(server.read_timeout),
    // A request that waits for an approval is silent.
    stream_idle_timeout: seconds(
      Math.max(proxy.upstream_timeout, approvalPatience(config)?.messageTimeoutMs ?? 0),
    ),
    stream_flush_timeout: seconds(server.write_timeout),
    early_header_mutation_extensions: [stripBeforeRouting()],
    access_log: [accessLog(layout.accessLogPath)],
    local_reply_config: localReplies(server.error_format),
    route_config: routes(config),
    http_filters: httpFilters(config, layout),
  });
}

function stripBeforeRouting(): EnvoyObject {
  return extension('strip', 'envoy.extensions.http.early_header_mutation.header_mutation.v3.HeaderMutation', {
    mutations: [{ remove: HEADER.upstream }, { remove: 'x-gw-origin' }, { remove: 'accept-encoding' }],
  });
}

/** The request gate: a route to an upstream requires the sidecar's cluster and its verdict for this request. */
function routes(config: Config): EnvoyObject {
  return {
    name: 'main',
    virtual_hosts: [
      {
        name: 'all',
        domains: ['*'],
        routes: [
          upstreamRoute(config, 'mcp', { string_match: { prefix: MCP_CLUSTER_PREFIX } }),
          ...attemptRoutes(config),
          upstreamRoute(config, 'provider', { present_match: true }),
          { name: 'closed', match: { prefix: '/' }, direct_response: { status: 503 } },
        ],
      },
    ],
  };
}

function attemptRoutes(config: Config): EnvoyObject[] {
  const { retryPolicy } = attemptParts(config);
  if (retryPolicy === undefined) return [];
  const exact = { string_match: { exact: ATTEMPTS_CLUSTER } };
  return [upstreamRoute(config, 'provider', exact, { retryPolicy, times: MAX_ATTEMPTS })];
}

/** Routes to the cluster that the sidecar chose, and passes the client's surface to the response gate. */
function upstreamRoute(
  config: Config,
  name: 'mcp' | 'provider',
  upstream: EnvoyObject,
  { retryPolicy, times }: { readonly retryPolicy?: EnvoyObject; readonly times: number } = { times: 1 },
): EnvoyObject {
  return {
    name,
    match: {
      prefix: '/',
      headers: [
        { name: HEADER.upstream, ...upstream },
        // HEAD is not forwarded, because without a body the response gate could not explain a refusal.
        { name: ':method', string_match: { exact: 'HEAD' }, invert_match: true },
      ],
      dynamic_metadata: [{ filter: 'gw', path: [{ key: 'req' }], value: { string_match: { exact: 'ok' } } }],
    },
    metadata: { filter_metadata: { [RESPONSE_GATE_NAME]: { surface: name } } },
    // A route timeout would abort long streams; the sidecar limits unstreamed answers.
    route: {
      cluster_header: HEADER.upstream,
      timeout: '0s',
      idle_timeout: seconds(times * config.proxy.upstream_timeout),
      ...(retryPolicy !== undefined && { retry_policy: retryPolicy }),
    },
    // The request is complete when this route is used, so this limit applies to the answer.
    request_body_buffer_limit: ANSWER_BUFFER_BYTES,
    response_headers_to_add: [REQUEST_ID], // for the response gate, which has no request id
    request_headers_to_remove: WITHHELD_HEADERS,
  };
}

/** Returns the access log, which omits the path, because it may contain a key. */
function accessLog(path: string): EnvoyObject {
  // Envoy cannot open /dev/stdout as a file if it is a socket (a pipe of a supervisor, systemd).
  const logger =
    path === '/dev/stdout'
      ? { type: 'stream.v3.StdoutAccessLog', fields: {} }
      : { type: 'file.v3.FileAccessLog', fields: { path } };
  return {
    name: 'access_log',
    filter: ACCESS_LOG_FILTER,
    typed_config: typed(`envoy.extensions.access_loggers.${logger.type}`, {
      ...logger.fields,
      log_format: {
        json_format: {
          time: '%START_TIME%',
          id: '%STREAM_ID%',
          answer_id: `%RESP(${HEADER.requestId})%`, // the only id of an early reply
          error_type: `%RESP(${HEADER.errorType})%`,
          method: '%REQ(:METHOD)%',
          protocol: '%PROTOCOL%',
          status: '%RESPONSE_CODE%',
          details: '%RESPONSE_CODE_DETAILS%',
          flags: '%RESPONSE_FLAGS%',
          in: '%BYTES_RECEIVED%',
          out: '%BYTES_SENT%',
          ms: '%DURATION%',
          upstream: '%UPSTREAM_CLUSTER%',
        },
      },
    }),
  };
}
