/** All gateway headers, in lower case as in HTTP/2 and Envoy. */
export const HEADER = {
  providerKey: 'x-gateway-provider-key',
  /** The caller's JWT (`zsp.enabled`). */
  jwt: 'x-gateway-jwt',
  sessionId: 'x-gateway-session-id',
  sessionBudget: 'x-gateway-session-budget',
  sessionMaxSteps: 'x-gateway-session-max-steps',
  signature: 'x-gateway-signature',
  requestCost: 'x-gateway-request-cost',
  /** Provider and model that served a request for an alias in `models`. */
  servedBy: 'x-gateway-served-by',
  sessionSpend: 'x-gateway-session-spend',
  sessionSteps: 'x-gateway-session-steps',
  sessionRemaining: 'x-gateway-session-remaining',
  budgetWindow: 'x-gateway-budget-window',
  requestId: 'x-gateway-request-id',
  policyBlock: 'x-gateway-policy-block',
  blockReason: 'x-gateway-block-reason',
  /** The `type` of a refusal, which SDKs drop from the body. */
  errorType: 'x-gateway-error-type',
  responseRedacted: 'x-gateway-response-redacted',
  dlpRedacted: 'x-gateway-dlp-redacted',
  dlpBlock: 'x-gateway-dlp-block',
  toolsRemoved: 'x-gateway-tools-removed',
  /** The client's output limit after lowering, in tokens. */
  outputLimit: 'x-gateway-output-limit',
  shadow: 'x-gateway-shadow',
  loopDetected: 'x-gateway-loop-detected',
  /** IETF httpapi-ratelimit-headers: the remaining requests and the quota. */
  rateLimit: 'ratelimit',
  rateLimitPolicy: 'ratelimit-policy',
  /** Internal: the cluster to which Envoy routes the request. Removed from client requests before routing. */
  upstream: 'x-gateway-upstream',
} as const;

/** Prefix of all gateway headers except the standard ones. Copies sent by clients or providers are always removed. */
export const HEADER_PREFIX = 'x-gateway-';

/** Headers omitted if `server.strip_budget_headers` is set (docs/sessions.md#headers-of-an-answer). */
export const TELEMETRY_HEADERS: ReadonlySet<string> = new Set([
  HEADER.requestCost,
  HEADER.servedBy,
  HEADER.sessionSpend,
  HEADER.sessionSteps,
  HEADER.sessionRemaining,
  HEADER.budgetWindow,
  // Together with the token price, this reveals the remaining budget.
  HEADER.outputLimit,
  HEADER.shadow,
  HEADER.loopDetected,
  HEADER.rateLimit,
  HEADER.rateLimitPolicy,
]);
