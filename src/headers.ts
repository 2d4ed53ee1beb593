/** Every header of the gateway, in lower case as HTTP/2 and Envoy carry them. */
export const HEADER = {
  providerKey: 'x-gateway-provider-key',
  /** The bearer's JWT (`zsp.enabled`). */
  jwt: 'x-gateway-jwt',
  sessionId: 'x-gateway-session-id',
  sessionBudget: 'x-gateway-session-budget',
  sessionMaxSteps: 'x-gateway-session-max-steps',
  signature: 'x-gateway-signature',
  requestCost: 'x-gateway-request-cost',
  /** Provider and model that served a name of `models`. */
  servedBy: 'x-gateway-served-by',
  sessionSpend: 'x-gateway-session-spend',
  sessionSteps: 'x-gateway-session-steps',
  sessionRemaining: 'x-gateway-session-remaining',
  budgetWindow: 'x-gateway-budget-window',
  requestId: 'x-gateway-request-id',
  policyBlock: 'x-gateway-policy-block',
  blockReason: 'x-gateway-block-reason',
  /** The `type` of a refusal, since SDKs drop it from the body. */
  errorType: 'x-gateway-error-type',
  responseRedacted: 'x-gateway-response-redacted',
  dlpRedacted: 'x-gateway-dlp-redacted',
  dlpBlock: 'x-gateway-dlp-block',
  toolsRemoved: 'x-gateway-tools-removed',
  /** Tokens to which the client's own output limit was lowered. */
  outputLimit: 'x-gateway-output-limit',
  shadow: 'x-gateway-shadow',
  loopDetected: 'x-gateway-loop-detected',
  /** IETF httpapi-ratelimit-headers: the rest, and the quota. */
  rateLimit: 'ratelimit',
  rateLimitPolicy: 'ratelimit-policy',
  /** Internal: names Envoy's cluster for the route; stripped from clients before routing. */
  upstream: 'x-gateway-upstream',
} as const;

/** Prefix of every gateway header; a client's or provider's copy never survives. */
export const HEADER_PREFIX = 'x-gateway-';

/** Headers that `server.strip_budget_headers` suppresses (docs/sessions.md#headers-of-an-answer). */
export const TELEMETRY_HEADERS: ReadonlySet<string> = new Set([
  HEADER.requestCost,
  HEADER.servedBy,
  HEADER.sessionSpend,
  HEADER.sessionSteps,
  HEADER.sessionRemaining,
  HEADER.budgetWindow,
  // With the price of a token it reveals the rest of the budget.
  HEADER.outputLimit,
  HEADER.shadow,
  HEADER.loopDetected,
  HEADER.rateLimit,
  HEADER.rateLimitPolicy,
]);
