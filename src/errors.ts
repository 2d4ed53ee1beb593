import { wholeSeconds } from './text/time-span.ts';
import type { RefusalFinding } from './where-found.ts';

interface RefusalRow {
  readonly status: number;
  readonly means: string;
  /** Set if the refusal may no longer apply when the same request is retried a little later. */
  readonly passes?: true;
}

const row = <Status extends number>(status: Status, means: string) => ({ status, means });
const passing = <Status extends number>(status: Status, means: string) =>
  ({ status, means, passes: true }) as const;

/**
 * All refusals of the gateway. `type` is part of the API, and the metric label and log field. The table in
 * docs/refusals.md derives from these rows.
 */
const ROWS = {
  invalid_request: row(400, 'the request is malformed or ambiguous'),
  header_mismatch: row(400, 'MCP: a header contradicts the body'),
  invalid_params: row(400, 'MCP: a request of a stateless protocol version lacks required metadata'),
  invalid_key: row(401, 'the gateway key or JWT is missing, unknown, expired or revoked'),
  agent_risk_blocked: row(403, 'the key is blocked until an operator resets its risk'),
  dlp_quarantine: row(
    403,
    'the answer is withheld: it contains a secret, or other data that answers must not contain',
  ),
  drift_detected: row(403, 'the session has left its topic'),
  escalation_denied: row(403, 'the call needs an approval, which an operator denied'),
  policy_denied: row(403, 'a rule, the key or the configuration does not allow the request'),
  quarantined: row(403, 'the key is locked, for a time or until an operator releases it'),
  not_found: row(404, 'the path does not exist, or the object belongs to another key'),
  unknown_mcp_server: row(404, 'no MCP server has this name'),
  unknown_provider: row(404, 'the path does not begin with a configured provider'),
  method_not_allowed: row(405, 'the path does not accept this method'),
  request_timeout: passing(408, 'the request did not arrive in time'),
  payload_too_large: row(413, 'the body is too large'),
  unsupported_media_type: row(415, 'the body has a type or an encoding that cannot be inspected'),
  upgrade_not_supported: row(426, 'the request asks for a WebSocket'),
  budget_exceeded: row(429, 'the highest possible cost does not fit the budget'),
  loop_detected: row(429, 'the agent repeats itself'),
  max_steps_exceeded: row(429, 'the session has made all of its calls'),
  rate_limited: passing(429, 'the key has sent too many requests'),
  session_budget_exceeded: row(429, 'the highest possible cost does not fit the budget of the session'),
  session_limit_exceeded: row(429, 'the key has its maximum of live sessions'),
  upstream_unavailable: passing(
    502,
    'the provider or MCP server cannot be reached, or its answer cannot be read',
  ),
  credential_unavailable: passing(503, 'a provider credential of the gateway cannot be read'),
  gateway_unavailable: passing(503, 'the gateway cannot inspect the request or the answer'),
  overloaded: passing(503, 'the gateway has too little CPU for its requests'),
  redis_unavailable: passing(503, 'Redis is down, slow, full or read-only'),
  // During the upgrade of a fleet, another gateway may be able to read the value.
  stored_form_unknown: passing(503, 'another version of the gateway wrote data that this one cannot read'),
  circuit_open: passing(
    503,
    'the MCP server has failed too often; a JSON-RPC error if the call can be answered',
  ),
  escalation_timeout: row(504, 'the call needs an approval, and none was given in time'),
  upstream_timeout: passing(504, 'the provider or MCP server did not answer in time'),
};

export type ErrorType = keyof typeof ROWS;

export const REFUSALS: Readonly<Record<ErrorType, RefusalRow>> = ROWS;

/** HTTP statuses by type. */
export const ERROR_STATUS = Object.fromEntries(
  Object.entries(ROWS).map(([type, { status }]) => [type, status]),
) as { readonly [Type in ErrorType]: (typeof ROWS)[Type]['status'] };

/** SDKs and agents automatically retry refusals, even 401. This header stops most of them. */
export const NO_RETRY = ['x-should-retry', 'false'] as const;

/** In seconds. Agents silently wait for as long as `Retry-After` says. */
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
  return REFUSALS[type].passes === true;
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
    // A stack trace costs ten times as much as the rest of the refusal, which matters in a flood of refusals.
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
