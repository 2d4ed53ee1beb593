import { wholeSeconds } from './text/time-span.ts';
import type { RefusalFinding } from './where-found.ts';

/**
 * Every refusal the gateway can give, with its HTTP status (docs/refusals.md).
 * The `type` is the client's contract, the metric label and the log field.
 */
export const ERROR_STATUS = {
  invalid_request: 400,
  /** MCP: a header does not say what the body says. */
  header_mismatch: 400,
  /** MCP: a request of the stateless era does not say of itself what it must. */
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
  gateway_unavailable: 503,
  redis_unavailable: 503,
  /** MCP: the server has failed too often; shown as JSON-RPC where a call can be answered. */
  circuit_open: 503,
  escalation_timeout: 504,
  upstream_timeout: 504,
} as const;

export type ErrorType = keyof typeof ERROR_STATUS;

/** What may pass when the same request is sent again a little later. */
const PASSING: ReadonlySet<ErrorType> = new Set([
  'request_timeout',
  'rate_limited',
  'upstream_unavailable',
  'gateway_unavailable',
  'redis_unavailable',
  'circuit_open',
  'upstream_timeout',
]);

/** SDKs and agents repeat refusals by themselves, 401 among them; this header of a refusal stops most of them. */
export const NO_RETRY = ['x-should-retry', 'false'] as const;

/** Seconds. Agents sleep through `Retry-After` without a word, whatever it says. */
const LONGEST_WAIT = 60;

/**
 * `Retry-After` of a refusal that ends after so many milliseconds: of one that may pass by itself, and of a budget that
 * starts anew in a moment. All others name the time in their message (docs/refusals.md).
 */
export function retryAfter(type: ErrorType, ms: number): Readonly<Record<string, string>> {
  const seconds = wholeSeconds(ms);
  const isTold = mayRetry(type) || (type === 'budget_exceeded' && seconds <= LONGEST_WAIT);
  return isTold ? { 'retry-after': String(seconds) } : {};
}

/** Whether a repeat by itself could pass, because the trouble may be over soon (docs/refusals.md). */
export function mayRetry(type: ErrorType): boolean {
  return PASSING.has(type);
}

export interface GatewayErrorOptions {
  /** Extra response headers, lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  readonly details?: RefusalDetails;
  /** As in Refusal. */
  readonly note?: string;
  /** As in Refusal. */
  readonly key?: RefusedKey;
}

/** The key that was refused, for log, span and audit trail. */
export interface RefusedKey {
  readonly keyHash: string;
  readonly name: string;
}

/** What is refused, from whoever says so to the wire: a check's denial, or a `GatewayError`. */
export interface Refusal {
  readonly type: ErrorType;
  /** Short and human-readable; names the thing and the remedy, never a secret or a prompt. */
  readonly message: string;
  /** Extra headers of the answer, lower-case names, e.g. `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly details?: RefusalDetails | undefined;
  /** Why, for the client (`server.refusal_details`), the log and the audit trail; MAX_REFUSAL_FINDINGS at most. */
  readonly findings?: readonly RefusalFinding[] | undefined;
  /** What it comes from, for the log alone. */
  readonly cause?: unknown;
  /** A fact for the operator, in the log alone; no secret. */
  readonly note?: string | undefined;
  /** A good key that was refused for its lock or its block; never shown to the client. */
  readonly key?: RefusedKey | undefined;
}

/** What an agent can act on; shown only in MCP's JSON-RPC errors, as `error.data` (docs/mcp-messages.md). */
export interface RefusalDetails {
  readonly reason: string;
  readonly toolName?: string;
  readonly rule?: string;
  /** The server's result without what it may not say; bounded. */
  readonly maskedResult?: unknown;
}

/**
 * A refusal that is safe to show: `message` names the thing and the remedy, never a secret or a prompt.
 * Anything else that is thrown becomes `gateway_unavailable` at the edge.
 */
export class GatewayError extends Error implements Refusal {
  readonly type: ErrorType;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: RefusalDetails | undefined;
  readonly note: string | undefined;
  readonly key: RefusedKey | undefined;

  constructor(type: ErrorType, message: string, options: GatewayErrorOptions = {}) {
    // A refusal is an answer, not an accident: a stack costs ten times the rest, and a flood of refusals pays it.
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

/** The JSON body of every refusal (docs/refusals.md). */
export function errorBody(type: ErrorType, message: string): string {
  return JSON.stringify({ error: message, type });
}

/** What a caught value says, for an operator; of what is no error, no more than that. */
export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'unknown error';
}

export function methodNotAllowed(takes: readonly string[]): GatewayError {
  const allow = takes.join(', ');
  return new GatewayError('method_not_allowed', `this path takes ${allow}`, { headers: { allow } });
}
