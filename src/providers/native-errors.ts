import { mayRetry, type ErrorType, type Refusal } from '../errors.ts';
import type { ErrorShape } from './descriptor.ts';

/** The parts of a native error. `message` and `requestId` may be Envoy placeholders. */
export interface NativeFacts {
  readonly type: ErrorType;
  readonly message: string;
  readonly status: number;
  readonly requestId: string | undefined;
  /** The value of `Retry-After`, in seconds. */
  readonly retryAfter?: string | undefined;
  readonly findings?: Refusal['findings'];
}

type Body = Readonly<Record<string, unknown>>;

/**
 * Returns a refusal as the provider's own error object, with the gateway's `type` at the top level
 * (`server.error_format: native`). If that object does not define `error`, `error` is the message (docs/refusals.md).
 */
export function nativeBody(shape: ErrorShape, facts: NativeFacts): Body {
  const { type, requestId, findings } = facts;
  const id = requestId === undefined ? {} : { request_id: requestId };
  return { ...BODIES[shape](facts), type, ...id, ...findingsOf(findings) };
}

/** Returns the gateway's own error object, with the members that this shape's clients require. */
export function gatewayBody(shape: ErrorShape | undefined, { type, message, findings }: NativeFacts): Body {
  return { error: message, type, ...(shape === 'bedrock' && { message }), ...findingsOf(findings) };
}

function findingsOf(findings: Refusal['findings']): Body {
  return findings === undefined || findings.length === 0 ? {} : { findings };
}

/** Returns the error headers that a provider's SDK reads, in both formats. */
export function nativeHeaders(
  shape: ErrorShape,
  { type, status }: Pick<NativeFacts, 'type' | 'status'>,
): readonly (readonly [string, string])[] {
  return shape === 'bedrock' ? [['x-amzn-errortype', AWS_BY_TYPE[type] ?? statusNames(status).aws]] : [];
}

/** Headers, besides `x-request-id`, in which SDKs look for the request id. */
export const REQUEST_ID_HEADERS: { readonly [Shape in ErrorShape]?: string } = {
  anthropic: 'request-id',
  bedrock: 'x-amzn-requestid',
};

const BODIES: Readonly<Record<ErrorShape, (facts: NativeFacts) => Body>> = {
  openai: ({ type, message, status }) => ({
    error: { message, type: openaiType(type, status), param: null, code: openaiCode(type) },
  }),
  // Anthropic SDKs show the whole body unless `message` is at the top level, and read other members inside `error`.
  anthropic: ({ type, message, status }) => ({
    message,
    error: { type: ANTHROPIC_BY_TYPE[type] ?? statusNames(status).anthropic, message },
  }),
  gemini: (facts) => ({
    error: {
      code: facts.status,
      message: facts.message,
      status: statusNames(facts.status).google,
      details: googleDetails(facts),
    },
  }),
  bedrock: ({ message }) => ({ error: message, message }),
  cohere: ({ message, requestId }) => ({
    error: message,
    message,
    ...(requestId === undefined ? {} : { id: requestId }),
  }),
  mistral: ({ type, message }) => ({
    error: message,
    object: 'error',
    message,
    param: null,
    code: openaiCode(type),
  }),
  ollama: ({ message }) => ({ error: message }),
};

const SPENT: ReadonlySet<ErrorType> = new Set(['budget_exceeded', 'session_budget_exceeded']);

function openaiType(type: ErrorType, status: number): string {
  if (SPENT.has(type)) return 'insufficient_quota';
  if (type === 'rate_limited') return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

/** Returns a code that clients recognize. Codex stops immediately on `insufficient_quota`. */
function openaiCode(type: ErrorType): string {
  if (SPENT.has(type)) return 'insufficient_quota';
  if (type === 'rate_limited') return 'rate_limit_exceeded';
  return type === 'invalid_key' ? 'invalid_api_key' : type;
}

const ANTHROPIC_BY_TYPE: { readonly [Type in ErrorType]?: string } = {
  payload_too_large: 'request_too_large',
  overloaded: 'overloaded_error',
  request_timeout: 'timeout_error',
  upstream_timeout: 'timeout_error',
};

/** The names of an HTTP status at the providers. Google's are those of google.rpc.Code. */
interface StatusNames {
  readonly anthropic: string;
  readonly google: string;
  readonly aws: string;
}

const CLIENT_ERROR: StatusNames = {
  anthropic: 'invalid_request_error',
  google: 'INVALID_ARGUMENT',
  aws: 'ValidationException',
};
const SERVER_ERROR: StatusNames = {
  anthropic: 'api_error',
  google: 'UNAVAILABLE',
  aws: 'ServiceUnavailableException',
};
const BY_STATUS: Readonly<Record<number, Partial<StatusNames>>> = {
  401: { anthropic: 'authentication_error', google: 'UNAUTHENTICATED', aws: 'UnrecognizedClientException' },
  403: { anthropic: 'permission_error', google: 'PERMISSION_DENIED', aws: 'AccessDeniedException' },
  404: { anthropic: 'not_found_error', google: 'NOT_FOUND', aws: 'ResourceNotFoundException' },
  408: { google: 'DEADLINE_EXCEEDED' },
  429: { anthropic: 'rate_limit_error', google: 'RESOURCE_EXHAUSTED', aws: 'ServiceQuotaExceededException' },
  504: { google: 'DEADLINE_EXCEEDED' },
};

function statusNames(status: number): StatusNames {
  return { ...(status >= 500 ? SERVER_ERROR : CLIENT_ERROR), ...BY_STATUS[status] };
}

/**
 * Retry delay in seconds that clients do not wait for: Gemini CLI shows the message instead if it exceeds five minutes.
 */
const LONGER_THAN_CLIENTS_WAIT = '3600';

function googleDetails({ type, status, requestId, retryAfter }: NativeFacts): readonly Body[] {
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: type.toUpperCase(),
    domain: 'ai-firewall-gateway',
    ...(requestId === undefined ? {} : { metadata: { request_id: requestId } }),
  };
  const wait = retryAfter ?? (status === 429 && !mayRetry(type) ? LONGER_THAN_CLIENTS_WAIT : undefined);
  if (wait === undefined) return [info];
  return [info, { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${wait}s` }];
}

const AWS_BY_TYPE: { readonly [Type in ErrorType]?: string } = {
  rate_limited: 'ThrottlingException',
  upstream_unavailable: 'ServiceUnavailableException',
  upstream_timeout: 'ModelTimeoutException',
  request_timeout: 'ModelTimeoutException',
};
