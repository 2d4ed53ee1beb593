import { wholeSeconds } from './text/time-span.ts';
import type { RefusalFinding } from './where-found.ts';

interface RefusalRow {
  readonly status: number;
  readonly means: string;
  /** True if the same request may succeed a little later. */
  readonly passes?: true;
}

const row = <Status extends number>(status: Status, means: string) => ({ status, means });
const passing = <Status extends number>(status: Status, means: string) =>
  ({ status, means, passes: true }) as const;

/** The keys are the API's `type`, a metric label and a log field. docs/refusals.md is generated from these rows. */
const ROWS = {
  invalid_request: row(400, 'the request is malformed or ambiguous'),
  header_mismatch: row(400, 'MCP: a header contradicts the body'),
  invalid_params: row(400, 'MCP: a request of a stateless protocol version lacks required metadata'),
  invalid_key: row(401, 'the gateway key or JWT is missing, unknown, expired or revoked'),
  agent_risk_blocked: row(403, 'the key is blocked until an operator resets its risk'),
  dlp_quarantine: row(
    403,
    'the answer is withheld or cut off: it contains a secret or other data that answers must not contain',
  ),
  drift_detected: row(403, 'the session has left its topic'),
  escalation_denied: row(403, 'the call needs an approval, which an operator denied'),
  policy_denied: row(403, 'a rule, the key or the configuration does not allow the request'),
  quarantined: row(403, 'the key is locked, for a time or until an operator releases it'),
  not_found: row(404, 'the path does not exist, or the object belongs to another key'),
  unknown_mcp_server: row(404, 'no MCP server has this name'),
  unknown_provider: row(
    404,
    'the path does not begin with a configured provider, or the gateway does not serve the host',
  ),
  method_not_allowed: row(405, 'the path does not accept this method'),
  request_timeout: passing(408, 'the request did not arrive in time'),
  payload_too_large: row(413, 'the body is too large'),
  unsupported_media_type: row(415, 'the body has a type or an encoding that cannot be inspected'),
  upgrade_not_supported: row(426, 'the request asks for a WebSocket'),
  budget_exceeded: row(429, 'the highest possible cost does not fit the budget'),
  loop_detected: row(429, 'the agent repeats itself'),
  max_steps_exceeded: row(429, 'the session has reached its maximum number of calls'),
  rate_limited: passing(429, 'too many requests: per minute, open, or waiting for an approval'),
  session_budget_exceeded: row(429, 'the highest possible cost does not fit the budget of the session'),
  session_limit_exceeded: row(429, 'the key has reached its maximum number of live sessions'),
  upstream_unavailable: passing(
    502,
    'the provider or MCP server cannot be reached, or its answer cannot be read',
  ),
  credential_unavailable: passing(
    503,
    'a provider credential of the gateway cannot be read, or the provider refused it',
  ),
  gateway_unavailable: passing(
    503,
    'the gateway cannot verify, inspect or escalate the request, or inspect the answer',
  ),
  overloaded: passing(503, 'the gateway has too little CPU for its requests'),
  redis_unavailable: passing(
    503,
    'Redis is down, slow, full, read-only or unsuitable, or its data is damaged',
  ),
  // While a fleet is being upgraded, another gateway may be able to read the value.
  stored_form_unknown: passing(503, 'another version of the gateway wrote data that this one cannot read'),
  circuit_open: passing(
    503,
    'the MCP server has failed too often; a JSON-RPC request gets status 200 and an error',
  ),
  escalation_timeout: row(504, 'the call needs an approval, and none was given in time'),
  upstream_timeout: passing(504, 'the provider or MCP server did not answer in time'),
};

export type ErrorType = keyof typeof ROWS;

export const REFUSALS: Readonly<Record<ErrorType, RefusalRow>> = ROWS;

export const ERROR_STATUS = Object.fromEntries(
  Object.entries(ROWS).map(([type, { status }]) => [type, status]),
) as { readonly [Type in ErrorType]: (typeof ROWS)[Type]['status'] };

/** Many SDKs and agents automatically retry refusals, some even 401. This header stops most of them. */
export const NO_RETRY = ['x-should-retry', 'false'] as const;

/** Limit in seconds for budgets, because agents wait silently for as long as `Retry-After` says. */
const LONGEST_WAIT = 60;

/** Returns `Retry-After` if a retry may succeed or the budget renews within LONGEST_WAIT (docs/refusals.md). */
export function retryAfter(type: ErrorType, ms: number): Readonly<Record<string, string>> {
  const seconds = wholeSeconds(ms);
  const hasRetryAfter = mayRetry(type) || (type === 'budget_exceeded' && seconds <= LONGEST_WAIT);
  return hasRetryAfter ? { 'retry-after': String(seconds) } : {};
}

/** Returns `Retry-After`, and `Retry-After-Ms`, which SDKs prefer, for a refusal that ends after `ms`. */
export function retryAfterMs(ms: number): Readonly<Record<string, string>> {
  return { 'retry-after': String(wholeSeconds(ms)), 'retry-after-ms': String(ms) };
}

export function mayRetry(type: ErrorType): boolean {
  return REFUSALS[type].passes === true;
}

export interface GatewayErrorOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  readonly details?: RefusalDetails;
  readonly note?: string;
  readonly key?: RefusedKey;
}

export interface RefusedKey {
  readonly keyHash: string;
  readonly name: string;
}

/** A refusal for the client: a check's denial or a `GatewayError`. */
export interface Refusal {
  readonly type: ErrorType;
  /** Short text that names the problem and the remedy, but never a secret or a prompt. */
  readonly message: string;
  /** Additional response headers with lower-case names, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly details?: RefusalDetails | undefined;
  /** Reasons for the client (`server.refusal_details`), log and audit trail; at most MAX_REFUSAL_FINDINGS. */
  readonly findings?: readonly RefusalFinding[] | undefined;
  /** Written only to the log. */
  readonly cause?: unknown;
  /** Operator information without secrets. Written only to the log. */
  readonly note?: string | undefined;
  /** Set if a valid key was refused because it is locked or blocked. Never shown to the client. */
  readonly key?: RefusedKey | undefined;
}

/**
 * Details for an agent, shown only in MCP's JSON-RPC errors (docs/mcp-messages.md); the reason is also sent as a
 * header.
 */
export interface RefusalDetails {
  readonly reason: string;
  readonly toolName?: string;
  readonly rule?: string;
  /** The server's result, with unsafe parts masked; limited in size. */
  readonly maskedResult?: unknown;
}

/** A refusal that is safe to show. The edge replaces any other thrown value with `gateway_unavailable`. */
export class GatewayError extends Error implements Refusal {
  readonly type: ErrorType;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: RefusalDetails | undefined;
  readonly note: string | undefined;
  readonly key: RefusedKey | undefined;

  constructor(type: ErrorType, message: string, options: GatewayErrorOptions = {}) {
    // A stack trace costs ten times as much as the rest of the refusal.
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

export function errorBody(type: ErrorType, message: string): string {
  return JSON.stringify({ error: message, type });
}

/** Returns an error's message for operators. Other thrown values are not shown, because they may contain anything. */
export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'unknown error';
}

export function methodNotAllowed(takes: readonly string[]): GatewayError {
  const allow = takes.join(', ');
  return new GatewayError('method_not_allowed', `this path accepts only ${allow}`, { headers: { allow } });
}
