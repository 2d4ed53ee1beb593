import { readFileSync } from 'node:fs';
import type { Config } from '../config/schema.ts';
import { ATTEMPTS_CLUSTER, hasFallbacks } from '../routes/fallbacks.ts';
import { HEADER } from '../headers.ts';
import { ANSWER_BUFFER_BYTES, requestBufferBytes } from './buffers.ts';
import { HTTP_OPTIONS, UNLIMITED } from './clusters.ts';
import { MARK, router, upstreamFilters, WITHHELD_HEADERS } from './http-filters.ts';
import {
  extension,
  loadAssignment,
  luaFilter,
  seconds,
  setHeader,
  typed,
  type EnvoyObject,
} from './layout.ts';

const ATTEMPTS = readFileSync(new URL('./attempts.lua', import.meta.url), 'utf8');
/** Maximum size of the request headers, enough for the plans of eight targets with long tokens. */
const MAX_HEADERS_KB = 192;
/** Maximum number of targets per name in `models`. */
export const MAX_ATTEMPTS = 8;

/** Envoy resources for trying another target; empty without `on` in `models`. */
export interface AttemptParts {
  readonly listeners: readonly EnvoyObject[];
  readonly clusters: readonly EnvoyObject[];
  readonly retryPolicy: EnvoyObject | undefined;
  readonly bootstrap: EnvoyObject;
}

const NONE: AttemptParts = { listeners: [], clusters: [], retryPolicy: undefined, bootstrap: {} };

/**
 * Returns an internal listener, and the parts that it needs. The listener has no socket and makes one attempt. The main
 * router retries with it, so that ext_proc and both gates see only one request and one answer (decision 342).
 */
export function attemptParts(config: Config): AttemptParts {
  if (!hasFallbacks(config)) return NONE;
  return {
    listeners: [listener(config)],
    clusters: [cluster()],
    retryPolicy: {
      retry_on: 'retriable-headers',
      num_retries: MAX_ATTEMPTS - 1,
      retry_back_off: { base_interval: '0.001s', max_interval: '0.001s' },
      retriable_headers: [{ name: 'x-gw-again', present_match: true }],
    },
    bootstrap: {
      bootstrap_extensions: [
        extension(
          'envoy.bootstrap.internal_listener',
          'envoy.extensions.bootstrap.internal_listener.v3.InternalListener',
        ),
      ],
    },
  };
}

function cluster(): EnvoyObject {
  const number = { append: setHeader('x-gw-attempt', '%UPSTREAM_REQUEST_ATTEMPT_COUNT%') };
  const internal = { server_listener_name: ATTEMPTS_CLUSTER, endpoint_id: 'one' };
  return {
    name: ATTEMPTS_CLUSTER,
    type: 'STATIC',
    circuit_breakers: UNLIMITED,
    per_connection_buffer_limit_bytes: ANSWER_BUFFER_BYTES,
    typed_extension_protocol_options: {
      [HTTP_OPTIONS]: typed(HTTP_OPTIONS, {
        // The listener never closes idle connections, because it might do so just as a request begins.
        common_http_protocol_options: { idle_timeout: '60s' },
        explicit_http_config: { http_protocol_options: {} },
        http_filters: upstreamFilters('attempt', {
          request_mutations: [number],
          response_mutations: [MARK],
        }),
      }),
    },
    transport_socket: extension(
      'internal',
      'envoy.extensions.transport_sockets.internal_upstream.v3.InternalUpstreamTransport',
      { transport_socket: extension('raw', 'envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer') },
    ),
    load_assignment: loadAssignment(ATTEMPTS_CLUSTER, [{ envoy_internal_address: internal }]),
  };
}

function listener(config: Config): EnvoyObject {
  return {
    name: ATTEMPTS_CLUSTER,
    internal_listener: {},
    per_connection_buffer_limit_bytes: Math.max(ANSWER_BUFFER_BYTES, requestBufferBytes(config)),
    filter_chains: [{ filters: [{ name: 'http', typed_config: connectionManager(config) }] }],
  };
}

function connectionManager(config: Config): EnvoyObject {
  return typed('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
    stat_prefix: ATTEMPTS_CLUSTER,
    codec_type: 'HTTP1',
    via: '',
    server_header_transformation: 'PASS_THROUGH',
    scheme_header_transformation: { match_upstream: true },
    generate_request_id: false,
    normalize_path: false,
    path_with_escaped_slashes_action: 'KEEP_UNCHANGED',
    max_request_headers_kb: MAX_HEADERS_KB,
    common_http_protocol_options: {
      headers_with_underscores_action: 'ALLOW',
      max_headers_count: 200,
      idle_timeout: '0s',
    },
    stream_idle_timeout: seconds(config.proxy.upstream_timeout),
    delayed_close_timeout: '0s', // not needed here: the main listener waits for its client
    local_reply_config: { mappers: [WITH_DETAILS] },
    route_config: { name: ATTEMPTS_CLUSTER, virtual_hosts: [virtualHost(config)] },
    http_filters: [luaFilter(ATTEMPTS_CLUSTER, ATTEMPTS), router()],
  });
}

/** Passes Envoy's reason for a local reply to the script. */
const WITH_DETAILS: EnvoyObject = {
  filter: {
    status_code_filter: {
      comparison: { op: 'GE', value: { default_value: 100, runtime_key: 'none' } },
    },
  },
  headers_to_add: [setHeader('x-gw-details', '%RESPONSE_CODE_DETAILS%')],
};

function virtualHost(config: Config): EnvoyObject {
  return {
    name: 'all',
    domains: ['*'],
    routes: [
      {
        name: 'target',
        match: { prefix: '/', headers: [{ name: HEADER.upstream, present_match: true }] },
        route: {
          cluster_header: HEADER.upstream,
          timeout: '0s',
          idle_timeout: seconds(config.proxy.upstream_timeout),
        },
        // A provider must not impersonate the script or, like an Envoy in front of it, stop retries.
        response_headers_to_remove: ['x-gw-again', 'x-gw-tried', 'x-gw-details', 'x-envoy-ratelimited'],
        request_headers_to_remove: WITHHELD_HEADERS,
      },
      { name: 'closed', match: { prefix: '/' }, direct_response: { status: 503 } },
    ],
  };
}
