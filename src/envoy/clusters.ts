import { isIP } from 'node:net';
import type { Config } from '../config/schema.ts';
import type { Upstream } from '../routing/upstreams.ts';
import { ANSWER_BUFFER_BYTES, UPSTREAM_BUFFER_BYTES } from './buffers.ts';
import {
  loadAssignment,
  seconds,
  tlsSocket,
  typed,
  type EnvoyLayout,
  type EnvoyObject,
  type SidecarAddress,
} from './layout.ts';
import { tlsContext } from './secrets.ts';

export const HTTP_OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

/** A worker accepts immediately, or has exited. */
const SIDECAR_CONNECT_TIMEOUT = '0.5s';

const KEEPALIVE_INTERVAL = '5s';
/**
 * If a ping stays unanswered for this time, Envoy ends the connection with all its streams. A process without CPU time
 * (a throttled container) is silent for seconds, so this equals the supervisor's own limit (heartbeat.ts).
 */
const KEEPALIVE_TIMEOUT = '15s';
/** Above this number, Envoy opens another connection, so that a lost one costs only a share of a worker's streams. */
const STREAMS_PER_CONNECTION = 256;

/** Envoy's default of 1,024 connections and requests is too low for a gateway. */
export const UNLIMITED: EnvoyObject = {
  thresholds: [
    { max_connections: 65_536, max_pending_requests: 65_536, max_requests: 65_536, max_retries: 65_536 },
  ],
};

export function sidecarCluster(config: Config, layout: EnvoyLayout): EnvoyObject {
  const tcp = layout.sidecars.some(({ kind }) => kind === 'tcp');
  return {
    name: 'sidecar',
    type: tcp ? 'STRICT_DNS' : 'STATIC',
    lb_policy: 'ROUND_ROBIN', // LEAST_REQUEST prefers a dead worker, because it has no open streams.
    // The default delays health changes of a second endpoint by up to a second.
    common_lb_config: { update_merge_window: '0s' },
    connect_timeout: SIDECAR_CONNECT_TIMEOUT,
    per_connection_buffer_limit_bytes: ANSWER_BUFFER_BYTES,
    circuit_breakers: UNLIMITED,
    health_checks: [
      {
        timeout: '1s',
        interval: '1s',
        unhealthy_interval: '0.5s',
        // The default delays the second check by 60 s. This interval finds a starting worker quickly.
        no_traffic_interval: '0.1s',
        no_traffic_healthy_interval: '1s',
        unhealthy_threshold: 2,
        healthy_threshold: 1,
        grpc_health_check: {},
      },
    ],
    typed_extension_protocol_options: {
      [HTTP_OPTIONS]: typed(HTTP_OPTIONS, {
        explicit_http_config: {
          http2_protocol_options: {
            connection_keepalive: { interval: KEEPALIVE_INTERVAL, timeout: KEEPALIVE_TIMEOUT },
            max_concurrent_streams: STREAMS_PER_CONNECTION,
            initial_stream_window_size: 1_048_576,
            initial_connection_window_size: 16_777_216,
          },
        },
      }),
    },
    ...(tcp ? sidecarTls(config, layout) : {}),
    load_assignment: loadAssignment('sidecar', layout.sidecars.map(address)),
  };
}

function sidecarTls(config: Config, layout: EnvoyLayout): EnvoyObject {
  const { tls } = config.server.extproc;
  if (tls.cert_file === undefined || tls.key_file === undefined || tls.ca_file === undefined) return {};
  return tlsSocket('Upstream', tlsContext({ path: 'server.extproc.tls', ...tls }, layout));
}

function address(at: SidecarAddress): EnvoyObject {
  return at.kind === 'unix' ? { pipe: { path: at.path } } : socketAddress(at);
}

function socketAddress({ host, port }: Pick<Upstream, 'host' | 'port'>): EnvoyObject {
  return { socket_address: { address: host, port_value: port } };
}

/** Returns the cluster of a provider or MCP server. SNI and the verified name follow the sidecar's `:authority`. */
export function upstreamCluster(upstream: Upstream, config: Config, layout: EnvoyLayout): EnvoyObject {
  const fixed = isIP(upstream.host) !== 0;
  return {
    name: upstream.cluster,
    type: fixed ? 'STATIC' : 'LOGICAL_DNS',
    ...(fixed ? {} : { dns_lookup_family: 'V4_PREFERRED', wait_for_warm_on_init: false }),
    connect_timeout: seconds(config.proxy.connect_timeout),
    per_connection_buffer_limit_bytes: UPSTREAM_BUFFER_BYTES,
    circuit_breakers: UNLIMITED,
    ...(upstream.tls ? upstreamTls(upstream, layout) : {}),
    load_assignment: loadAssignment(upstream.cluster, [socketAddress(upstream)]),
  };
}

function upstreamTls(upstream: Upstream, layout: EnvoyLayout): EnvoyObject {
  return {
    typed_extension_protocol_options: {
      [HTTP_OPTIONS]: typed(HTTP_OPTIONS, {
        upstream_http_protocol_options: { auto_sni: true, auto_san_validation: true },
        auto_config: { http_protocol_options: {}, http2_protocol_options: {} }, // ALPN: h2, else h1
      }),
    },
    ...tlsSocket('Upstream', {
      tls_params: { tls_minimum_protocol_version: 'TLSv1_2' },
      ...authority(upstream, layout),
    }),
  };
}

function authority({ caFile, cluster }: Upstream, layout: EnvoyLayout): EnvoyObject {
  if (caFile === undefined) return { validation_context: { trusted_ca: { filename: layout.systemCaFile } } };
  return tlsContext({ path: cluster.replace('provider_', 'providers.'), ca_file: caFile }, layout);
}
