import { readFileSync } from 'node:fs';
import { approvalPatience, longestPhaseMs } from '../config/cross-field-rules.ts';
import type { Config } from '../config/schema.ts';
import { HEADER } from '../headers.ts';
import { extension, luaFilter, seconds, setHeader, type EnvoyLayout, type EnvoyObject } from './layout.ts';

/** Also the name of the metadata in which a route passes its surface to the gate. */
export const RESPONSE_GATE_NAME = 'response_gate';
const RESPONSE_GATE = readFileSync(new URL('./response-gate.lua', import.meta.url), 'utf8');
/**
 * Additional time for inspection, beyond `longestPhaseMs`: enough for 2 MiB of text, or a thousand concurrent
 * requests, on one shared core.
 */
const MESSAGE_MARGIN_MS = 5_000;

/** Returns the HTTP filters. Requests pass through them from first to last, answers from last to first. */
export function httpFilters(config: Config, layout: EnvoyLayout): EnvoyObject[] {
  return [luaFilter(RESPONSE_GATE_NAME, RESPONSE_GATE), externalProcessor(config, layout), router()];
}

/** Retries a dying worker's streams on another worker. */
const ON_ANOTHER_WORKER: EnvoyObject = {
  retry_on: 'connect-failure,refused-stream,reset,unavailable',
  num_retries: 3,
  retry_back_off: { base_interval: '0.01s', max_interval: '0.05s' },
  retry_host_predicate: [
    extension('other', 'envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate'),
  ],
  host_selection_retry_max_attempts: 10,
};

/**
 * Reports whether a retry could reach another worker. If not, retries are not configured, because they slow down every
 * request. A host may have several addresses.
 */
function hasAnother({ sidecars }: EnvoyLayout): boolean {
  return sidecars.length > 1 || sidecars.some(({ kind }) => kind === 'tcp');
}

function externalProcessor(config: Config, layout: EnvoyLayout): EnvoyObject {
  const { token } = config.server.extproc;
  const patience = approvalPatience(config);
  return extension(
    'envoy.filters.http.ext_proc',
    'envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor',
    {
      grpc_service: {
        envoy_grpc: { cluster_name: 'sidecar' },
        timeout: '0s',
        ...(token === undefined ? {} : { initial_metadata: [{ key: 'x-gateway-token', value: token }] }),
        ...(hasAnother(layout) ? { retry_policy: ON_ANOTHER_WORKER } : {}),
      },
      failure_mode_allow: false,
      status_on_error: { code: 'ServiceUnavailable' },
      message_timeout: seconds(longestPhaseMs(config) + MESSAGE_MARGIN_MS),
      // Without this, Envoy ignores the sidecar's requests for more time.
      ...(patience === undefined ? {} : { max_message_timeout: seconds(patience.messageTimeoutMs) }),
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
      // The sidecar sets the route, but must not change the mark of a provider's answer.
      mutation_rules: {
        allow_all_routing: true,
        allow_envoy: true,
        disallow_expression: { regex: '^x-gw-origin$' },
      },
    },
  );
}

/** Marks upstream answers for the response gate. */
export const MARK: EnvoyObject = { append: setHeader('x-gw-origin', '1') };

export function router(): EnvoyObject {
  return extension('envoy.filters.http.router', 'envoy.extensions.filters.http.router.v3.Router', {
    suppress_envoy_headers: true,
    upstream_http_filters: upstreamFilters('mark', { response_mutations: [MARK] }),
  });
}

/** Returns filters that change headers between the router and an upstream. */
export function upstreamFilters(name: string, mutations: EnvoyObject): EnvoyObject[] {
  return [
    extension(name, 'envoy.extensions.filters.http.header_mutation.v3.HeaderMutation', { mutations }),
    extension('codec', 'envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec'),
  ];
}

export const WITHHELD_HEADERS: readonly string[] = [
  HEADER.upstream,
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-envoy-external-address',
  'x-envoy-internal',
];
