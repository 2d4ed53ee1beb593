import { RAW_KEY_PREFIX } from '../auth/raw-key.ts';
import type { Config } from '../config/schema.ts';
import { ERROR_STATUS, mayRetry, NO_RETRY, type ErrorType } from '../errors.ts';
import type { EnvoyReplyType } from '../telemetry/envoy-lines.ts';
import { HEADER } from '../headers.ts';
import type { ErrorShape } from '../providers/descriptor.ts';
import { ERROR_SHAPES } from '../providers/error-shapes.ts';
import { gatewayBody, nativeBody, nativeHeaders, REQUEST_ID_HEADERS } from '../providers/native-errors.ts';
import { mcpAnswer } from '../mcp/refusal.ts';
import { MCP_CLUSTER_PREFIX } from '../routing/upstreams.ts';
import { ANSWER_BUFFER_BYTES } from './buffers.ts';
import { extension, setHeader, type EnvoyObject } from './layout.ts';

type ErrorFormat = Config['server']['error_format'];

/** `details` of the sidecar's ImmediateResponse (`refuse` in extproc/reply/respond.ts). Its body is sent unchanged. */
const OURS = 'gw';
/** `details` of replies that are not logged, because unauthenticated clients must not fill the access log. */
const OURS_UNLOGGED = 'gw_unlogged';

export const ACCESS_LOG_FILTER: EnvoyObject = byDetails(`!= '${OURS_UNLOGGED}'`);

const TIMEOUTS = [
  'stream_idle_timeout',
  'upstream_response_timeout',
  'upstream_per_try_timeout',
  'upstream_per_try_idle_timeout',
  'duration_timeout',
];

/** `details` of replies made before Envoy replaces a client's request id with its own. */
const EARLY = [
  'missing_host_header',
  'missing_path_rejected',
  'absolute_path_rejected',
  'path_normalization_failed',
];

/** Matches requests to MCP servers by the client's path, or by the cluster that the sidecar sets later. */
const FOR_MCP = `request.path.matches('^/(${RAW_KEY_PREFIX}[^/]*/)?mcp(/|[?]|$)') || xds.cluster_name.startsWith('${MCP_CLUSTER_PREFIX}')`;

/** Adds the request id, as used in the sidecar and the access log. */
export const REQUEST_ID: EnvoyObject = setHeader(HEADER.requestId, '%STREAM_ID%');
const NEW_ID = setHeader(HEADER.requestId, '%UNIQUE_ID%');

/**
 * Gives Envoy's local replies the gateway's JSON shape, or that of the client's API (docs/refusals.md). The first match
 * wins. Replies about the provider precede the rule that turns every other 5xx, including failures of ext_proc and of
 * the gates, into `gateway_unavailable`. Provider answers are not affected.
 */
export function localReplies(format: ErrorFormat): EnvoyObject {
  const passOurs = {
    filter: byDetails(`in [${quoted([OURS, OURS_UNLOGGED])}]`),
    body_format_override: {
      text_format_source: { inline_string: '%LOCAL_REPLY_BODY%' },
      content_type: 'application/json',
    },
  };
  return { mappers: [passOurs, ...REPLIES.flatMap((reply) => mappersOf(reply, format))] };
}

interface Reply {
  readonly filter: EnvoyObject;
  readonly type: EnvoyReplyType;
  readonly message: string;
  /** See `EARLY`. */
  readonly isEarly?: true;
  /** Whether to keep Envoy's status, which is more precise. */
  readonly keepsStatus?: true;
}

const REPLIES: readonly Reply[] = [
  {
    filter: byDetails("== 'overload'"),
    type: 'gateway_unavailable',
    message: 'the gateway is overloaded: try again in a moment',
    isEarly: true,
  },
  {
    filter: byDetails(`in [${quoted(EARLY)}]`),
    type: 'invalid_request',
    message: 'bad request',
    isEarly: true,
  },
  {
    filter: byDetails("== 'upgrade_failed'"),
    type: 'upgrade_not_supported',
    message: 'WebSocket upgrades are not supported',
  },
  {
    filter: byStatus('EQ', 413),
    type: 'payload_too_large',
    message: 'the request body exceeds the limit: send a smaller body',
  },
  { filter: byStatus('EQ', 408), type: 'request_timeout', message: 'the request did not arrive in time' },
  {
    filter: byDetails(`in [${quoted(TIMEOUTS)}]`),
    type: 'upstream_timeout',
    message: 'the provider did not answer in time',
  },
  {
    filter: byDetails("== 'response_payload_too_large'"),
    type: 'upstream_unavailable',
    message: `the provider sent an answer of more than ${String(ANSWER_BUFFER_BYTES)} bytes: ask for less`,
  },
  {
    filter: byDetails("== 'no_healthy_upstream' || response.code_details.startsWith('upstream_')"),
    type: 'upstream_unavailable',
    message: 'the provider cannot be reached',
  },
  { filter: byStatus('GE', 500), type: 'gateway_unavailable', message: 'the policy service is unavailable' },
  { filter: byStatus('EQ', 404), type: 'not_found', message: 'not found' },
  { filter: byStatus('GE', 400), type: 'invalid_request', message: 'bad request', keepsStatus: true },
];

/** Returns mappers for MCP clients, for each provider whose clients expect another error shape, and for all others. */
function mappersOf(reply: Reply, format: ErrorFormat): EnvoyObject[] {
  return [
    {
      ...mapper(reply, format),
      filter: { and_filter: { filters: [reply.filter, byExpression(FOR_MCP)] } },
      body_format_override: {
        text_format_source: { inline_string: mcpAnswer(reply).body },
        content_type: 'application/json',
      },
    },
    ...shapesOf(format).map(([path, shape]) => mapper(reply, format, path, shape)),
    mapper(reply, format),
  ];
}

/** Returns the error shapes to render. In the gateway's error format, only Bedrock clients need their own. */
function shapesOf(format: ErrorFormat): typeof ERROR_SHAPES {
  return format === 'native' ? ERROR_SHAPES : ERROR_SHAPES.filter(([, shape]) => shape === 'bedrock');
}

function mapper(reply: Reply, format: ErrorFormat, path?: RegExp, shape?: ErrorShape): EnvoyObject {
  const status = ERROR_STATUS[reply.type];
  const facts = { ...reply, status, requestId: reply.isEarly === true ? undefined : '%STREAM_ID%' };
  const body = shape && format === 'native' ? nativeBody(shape, facts) : gatewayBody(shape, facts);
  return {
    filter: path === undefined ? reply.filter : { and_filter: { filters: [reply.filter, byPath(path)] } },
    ...(reply.keepsStatus === true ? {} : { status_code: status }),
    headers_to_add: [...ids(reply, shape), ...advice(reply.type, shape)],
    body_format_override: {
      text_format_source: { inline_string: JSON.stringify(body) },
      content_type: 'application/json',
    },
  };
}

/** Adds the request id where SDKs look for it. An early reply has a new id, which changes with each use. */
function ids({ isEarly }: Reply, shape: ErrorShape | undefined): EnvoyObject[] {
  if (isEarly === true) return [NEW_ID];
  const more = ['x-request-id', shape && REQUEST_ID_HEADERS[shape]].filter((name) => name !== undefined);
  // Without a stream id, the second header is not set and the first one remains.
  return [NEW_ID, REQUEST_ID, ...more.map((name) => setHeader(name, '%STREAM_ID%'))];
}

function advice(type: ErrorType, shape: ErrorShape | undefined): EnvoyObject[] {
  return [
    [HEADER.errorType, type] as const,
    ...(mayRetry(type) ? [] : [NO_RETRY]),
    ...(shape === undefined ? [] : nativeHeaders(shape, { type, status: ERROR_STATUS[type] })),
  ].map(([name, value]) => setHeader(name, value));
}

/** Matches a client's path and query, with or without a key segment in front. */
function byPath(pattern: RegExp): EnvoyObject {
  const regex = `^(/${RAW_KEY_PREFIX}[^/]*)?${pattern.source.replace(/^\^/, '')}.*`;
  return { header_filter: { header: { name: ':path', string_match: { safe_regex: { regex } } } } };
}

function byDetails(condition: string): EnvoyObject {
  return byExpression(`response.code_details ${condition}`);
}

function byExpression(expression: string): EnvoyObject {
  const type = 'envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter';
  return { extension_filter: extension('expression', type, { expression }) };
}

function byStatus(op: 'EQ' | 'GE', status: number): EnvoyObject {
  return {
    status_code_filter: { comparison: { op, value: { default_value: status, runtime_key: 'none' } } },
  };
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
