import { errorBody, type ErrorType } from '../errors.ts';
import { HEADER } from '../headers.ts';
import { ANSWER_BUFFER_BYTES } from './buffers.ts';
import type { EnvoyObject } from './layout.ts';
import { typed } from './layout.ts';

/** `details` of the sidecar's own ImmediateResponse (extproc/respond); its body is ready and passes as it is. */
const OURS = 'gw';
/** The same of one that is not to be logged, so that strangers cannot fill the access log. */
const OURS_UNLOGGED = 'gw_unlogged';

/** Keeps out of the access log what the sidecar only counts. */
export const ACCESS_LOG_FILTER: EnvoyObject = byDetails(`!= '${OURS_UNLOGGED}'`);

const TIMEOUTS = [
  'stream_idle_timeout',
  'upstream_response_timeout',
  'upstream_per_try_timeout',
  'upstream_per_try_idle_timeout',
  'duration_timeout',
];

/** What Envoy answers before it has made an id of its own and dropped a client's. */
const EARLY = [
  'missing_host_header',
  'missing_path_rejected',
  'absolute_path_rejected',
  'path_normalization_failed',
];

/** A response header with the id that the sidecar and the access log call the request by. */
export const REQUEST_ID: EnvoyObject = requestId('%STREAM_ID%');
const NEW_ID = requestId('%UNIQUE_ID%');

function requestId(value: string): EnvoyObject {
  return { header: { key: HEADER.requestId, value }, append_action: 'OVERWRITE_IF_EXISTS_OR_ADD' };
}

/**
 * Gives Envoy's own replies our JSON shape (DECISIONS "Error bodies"). The first that matches wins: what names
 * the provider comes before the rule that turns every other 5xx, ext_proc's failures and the gates among them,
 * into `gateway_unavailable`. Providers' answers never come here.
 */
export function localReplies(): EnvoyObject {
  return {
    mappers: [
      {
        filter: byDetails(`in [${quoted([OURS, OURS_UNLOGGED])}]`),
        body_format_override: {
          text_format_source: { inline_string: '%LOCAL_REPLY_BODY%' },
          content_type: 'application/json',
        },
      },
      early(byDetails("== 'overload'"), 'gateway_unavailable', 'the gateway is overloaded; try again', 503),
      early(byDetails(`in [${quoted(EARLY)}]`), 'invalid_request', 'bad request', 400),
      mapped(
        byDetails("== 'upgrade_failed'"),
        'upgrade_not_supported',
        'WebSocket upgrades are not supported',
        426,
      ),
      mapped(byStatus('EQ', 413), 'payload_too_large', 'the request body exceeds the limit'),
      mapped(byStatus('EQ', 408), 'request_timeout', 'the request did not arrive in time'),
      mapped(
        byDetails(`in [${quoted(TIMEOUTS)}]`),
        'upstream_timeout',
        'the provider did not answer in time',
        504,
      ),
      mapped(
        byDetails("== 'response_payload_too_large'"),
        'upstream_unavailable',
        `the provider sent an answer of more than ${String(ANSWER_BUFFER_BYTES)} bytes`,
        502,
      ),
      mapped(
        byDetails("== 'no_healthy_upstream' || response.code_details.startsWith('upstream_')"),
        'upstream_unavailable',
        'the provider cannot be reached',
        502,
      ),
      mapped(byStatus('GE', 500), 'gateway_unavailable', 'the policy service is unavailable', 503),
      mapped(byStatus('EQ', 404), 'not_found', 'not found'),
      mapped(byStatus('GE', 400), 'invalid_request', 'bad request'),
    ],
  };
}

function mapped(filter: EnvoyObject, type: ErrorType, message: string, status?: number): EnvoyObject {
  // Where there is no id, the second one is not set, and the first stays.
  return reply(filter, { type, message, status, ids: [NEW_ID, REQUEST_ID] });
}

function early(filter: EnvoyObject, type: ErrorType, message: string, status: number): EnvoyObject {
  return reply(filter, { type, message, status, ids: [NEW_ID] });
}

interface Reply {
  readonly type: ErrorType;
  readonly message: string;
  /** Envoy's own where it is left open. */
  readonly status: number | undefined;
  readonly ids: readonly EnvoyObject[];
}

function reply(filter: EnvoyObject, { type, message, status, ids }: Reply): EnvoyObject {
  return {
    filter,
    ...(status === undefined ? {} : { status_code: status }),
    headers_to_add: ids,
    body_format_override: { json_format: JSON.parse(errorBody(type, message)) as EnvoyObject },
  };
}

function byDetails(condition: string): EnvoyObject {
  return {
    extension_filter: {
      name: 'details',
      typed_config: typed('envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter', {
        expression: `response.code_details ${condition}`,
      }),
    },
  };
}

function byStatus(op: 'EQ' | 'GE', status: number): EnvoyObject {
  return {
    status_code_filter: { comparison: { op, value: { default_value: status, runtime_key: 'none' } } },
  };
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
