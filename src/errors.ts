import { wholeSeconds } from './text/time-span.ts';
import type { RefusalFinding } from './where-found.ts';

/**
 * All refusals of the gateway with their HTTP statuses (docs/refusals.md). `type` is part of the API, and the metric
 * label and log field.
 */
export const ERROR_STATUS = {
  invalid_request: 400,
  /** MCP: a header contradicts the body. */
  header_mismatch: 400,
  /** MCP: a request of a stateless protocol version lacks required metadata. */
  invalid_params: 400,
  invalid_key: 401,
  agent_risk_blocked: 403,
  dlp_quarantine: 403,
  drift_detected: 403,
  escalation_denied: 403,
  policy_denied: 403,
  quarantined: 403,
  not_found: 404,
  unknown_mcp_server: 404,
  unknown_provider: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  payload_too_large: 413,
  unsupported_media_type: 415,
  upgrade_not_supported: 426,
  budget_exceeded: 429,
  loop_detected: 429,
  max_steps_exceeded: 429,
  rate_limited: 429,
  session_budget_exceeded: 429,
  session_limit_exceeded: 429,
  upstream_unavailable: 502,
  /** A provider credential managed by the gateway cannot be read (docs/provider-credentials.md). */
  credential_unavailable: 503,
  gateway_unavailable: 503,
  /** A worker cannot keep up and refuses new requests (docs/serving.md). */
  overloaded: 503,
  redis_unavailable: 503,
  /** A stored value has a version that this build cannot read (docs/upgrading.md). */
  stored_form_unknown: 503,
  /** MCP: the server has failed too often. Sent as a JSON-RPC error if the call can be answered. */
  circuit_open: 503,
  escalation_timeout: 504,
  upstream_timeout: 504,
} as const;

export type ErrorType = keyof typeof ERROR_STATUS;

/** Refusals that may no longer apply if the same request is retried a little later. */
const PASSING: ReadonlySet<ErrorType> = new Set([
  'request_timeout',
  'rate_limited',
  'upstream_unavailable',
  'credential_unavailable',
  'gateway_unavailable',
  'overloaded',
  'redis_unavailable',
  // During the upgrade of a fleet, another gateway may be able to read the value.
  'stored_form_unknown',
  'circuit_open',
  'upstream_timeout',
]);

/** SDKs and agents automatically retry refusals, even 401. This header stops most of them. */
export const NO_RETRY = ['x-should-retry', 'false'] as const;

/** In seconds. Agents silently wait as long as any `Retry-After` says. */
const LONGEST_WAIT = 60;

/**
 * Returns `Retry-After` for a refusal that ends after `ms`, if a retry may succeed or a budget is renewed within
 * moments. All other refusals state the time in their messages (docs/refusals.md).
 */
export function retryAfter(type: ErrorType, ms: number): Readonly<Record<string, string>> {
  const seconds = wholeSeconds(ms);
  const hasRetryAfter = mayRetry(type) || (type === 'budget_exceeded' && seconds <= LONGEST_WAIT);
  return hasRetryAfter ? { 'retry-after': String(seconds) } : {};
}

/** Returns both headers with the remaining time of a refusal that ends after `ms`. SDKs prefer the precise one. */
export function retryAfterMs(ms: number): Readonly<Record<string, string>> {
  return { 'retry-after': String(wholeSeconds(ms)), 'retry-after-ms': String(ms) };
}

/** Reports whether an automatic retry may succeed (docs/refusals.md). */
export function mayRetry(type: ErrorType): boolean {
  return PASSING.has(type);
}

export interface GatewayErrorOptions {
  /** Additional response headers with lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  readonly details?: RefusalDetails;
  /** See `Refusal`. */
  readonly note?: string;
  /** See `Refusal`. */
  readonly key?: RefusedKey;
}

/** The refused key, for log, span and audit trail. */
export interface RefusedKey {
  readonly keyHash: string;
  readonly name: string;
}

/** A refusal for the client: the denial of a check, or a `GatewayError`. */
export interface Refusal {
  readonly type: ErrorType;
  /** Short text that names the problem and the remedy, but never a secret or a prompt. */
  readonly message: string;
  /** Additional response headers with lower-case names, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly details?: RefusalDetails | undefined;
  /**
   * The reasons, for the client (`server.refusal_details`), the log and the audit trail. At most MAX_REFUSAL_FINDINGS.
   */
  readonly findings?: readonly RefusalFinding[] | undefined;
  /** Written only to the log. */
  readonly cause?: unknown;
  /** A fact for the operator that contains no secret. Written only to the log. */
  readonly note?: string | undefined;
  /** A valid key that was refused because it is locked or blocked. Never shown to the client. */
  readonly key?: RefusedKey | undefined;
}

/** Details for an agent, shown as `error.data` in JSON-RPC errors of MCP only (docs/mcp-messages.md). */
export interface RefusalDetails {
  readonly reason: string;
  readonly toolName?: string;
  readonly rule?: string;
  /** The server's result without the parts that must not be shown; limited in size. */
  readonly maskedResult?: unknown;
}

/**
 * A refusal that is safe to show: `message` names the problem and the remedy, but never a secret or a prompt. The edge
 * replaces any other thrown value by `gateway_unavailable`.
 */
export class GatewayError extends Error implements Refusal {
  readonly type: ErrorType;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: RefusalDetails | undefined;
  readonly note: string | undefined;
  readonly key: RefusedKey | undefined;

  constructor(type: ErrorType, message: string, options: GatewayErrorOptions = {}) {
    // A stack trace costs ten times as much as the rest of the refusal, and a flood of refusals would pay for it.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'GatewayError';
    this.type = type;
    this.headers = options.headers ?? {};
    this.details = options.details;
    this.note = options.note;
    this.key = options.key;
  }

  get status(): number {
    return ERROR_STATUS[this.type];
  }
}

/** Returns the JSON body of every refusal (docs/refusals.md). */
export function errorBody(type: ErrorType, message: string): string {
  return JSON.stringify({ error: message, type });
}

/**
 * Returns the message of a caught error for an operator. Other thrown values may contain anything and are not shown.
 */
export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'unknown error';
}

export function methodNotAllowed(takes: readonly string[]): GatewayError {
  const allow = takes.join(', ');
  return new GatewayError('method_not_allowed', `this path accepts only ${allow}`, { headers: { allow } });
}
