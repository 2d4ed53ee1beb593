import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** Seconds; a provider's answer may take minutes, a refusal a millisecond. */
const DURATION_BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];

/**
 * The metrics of one worker; `gateway serve` adds up those of all. Labels come from closed sets only: never a
 * key, a model name or a path.
 */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Counter({
      name: 'gateway_requests_total',
      help: 'Finished requests by provider, operation, status class and refusal type (empty where none).',
      labelNames: ['provider', 'operation', 'status', 'type'] as const,
      registers,
    }),
    duration: new Histogram({
      name: 'gateway_request_duration_seconds',
      help: 'From request headers to the end of the answer.',
      labelNames: ['provider', 'operation'] as const,
      buckets: DURATION_BUCKETS,
      registers,
    }),
    verdicts: new Counter({
      name: 'gateway_check_verdicts_total',
      help: 'Verdicts of checks other than pass; enforced is false in shadow mode and for flags.',
      labelNames: ['check', 'verdict', 'type', 'enforced'] as const,
      registers,
    }),
    failures: new Counter({
      name: 'gateway_failures_total',
      help: 'Requests that failed closed for an unexpected reason.',
      registers,
    }),
    authLimited: new Counter({
      name: 'gateway_auth_limited_total',
      help: 'Failed authentications over the limit of their client address.',
      registers,
    }),
    tokenRefusals: new Counter({
      name: 'gateway_jwt_refusals_total',
      help: 'Requests refused for their JWT or DPoP proof, by what was wrong with it.',
      labelNames: ['fault'] as const,
      registers,
    }),
    keySetReads: new Counter({
      name: 'gateway_jwks_reads_total',
      help: 'Readings of the key set that JWTs are verified by, by outcome (read, failed).',
      labelNames: ['outcome'] as const,
      registers,
    }),
    policyLoads: new Counter({
      name: 'gateway_policy_loads_total',
      help: 'Policy sets that came into force, and changed files that made none (the last good set stays).',
      labelNames: ['outcome'] as const,
      registers,
    }),
    policyTroubles: new Counter({
      name: 'gateway_policy_troubles_total',
      help: 'Calls that the policies could not judge (an error, a time-out, a broken engine), and that were denied.',
      registers,
    }),
    tokens: new Counter({
      name: 'gen_ai_client_token_usage_total',
      help: 'Tokens that providers reported, by kind (input, output).',
      labelNames: ['provider', 'kind'] as const,
      registers,
    }),
    spend: new Counter({
      name: 'gateway_spend_usd_total',
      help: 'Cost charged to keys, in USD.',
      labelNames: ['provider'] as const,
      registers,
    }),
    overReservation: new Counter({
      name: 'gateway_cost_over_reservation_total',
      help: 'Answers that cost more than their worst case; the difference was charged all the same.',
      registers,
    }),
    budgetAlerts: new Counter({
      name: 'gateway_budget_alerts_total',
      help: 'Alert thresholds that a key crossed, by window.',
      labelNames: ['window'] as const,
      registers,
    }),
    alerts: new Counter({
      name: 'gateway_alerts_total',
      help: 'Messages to alerting.webhook_url by type and outcome (delivered, refused, unreachable, queue_full, stopped).',
      labelNames: ['type', 'outcome'] as const,
      registers,
    }),
    dlpFindings: new Counter({
      name: 'gateway_dlp_findings_total',
      help: 'Bodies and streams in which data-loss prevention found something, by class, side and action.',
      labelNames: ['class', 'side', 'action'] as const,
      registers,
    }),
    mcpCircuits: new Counter({
      name: 'gateway_mcp_circuit_changes_total',
      help: 'Circuits of MCP servers that opened or closed, for all keys (server) or for one (key).',
      labelNames: ['server', 'circuit', 'change'] as const,
      registers,
    }),
    escalations: new Counter({
      name: 'gateway_escalations_total',
      help: 'Requests that a policy escalated, by how they went on (approved, denied, timeout, full, withdrawn, failed).',
      labelNames: ['outcome'] as const,
      registers,
    }),
    escalationsPending: new Gauge({
      name: 'gateway_escalations_pending',
      help: 'Requests that wait for an approval now.',
      registers,
    }),
    escalationAnswersRefused: new Counter({
      name: 'gateway_escalation_answers_refused_total',
      help: 'Answers to waiting requests that did not count: malformed, forged, mismatched (of another request), expired.',
      labelNames: ['fault'] as const,
      registers,
    }),
    riskEvents: new Counter({
      name: 'gateway_risk_events_total',
      help: 'What counted against keys and scored, by trigger (policy_block, quarantine, escalation, taint, …).',
      labelNames: ['trigger'] as const,
      registers,
    }),
    riskLocks: new Counter({
      name: 'gateway_risk_locks_total',
      help: 'Keys that were locked or blocked for good, by trigger.',
      labelNames: ['trigger'] as const,
      registers,
    }),
    traceSpans: new Counter({
      name: 'gateway_trace_spans_total',
      help: 'Spans handed to the exporter of traces, by outcome (exported, failed).',
      labelNames: ['outcome'] as const,
      registers,
    }),
    firstToken: new Histogram({
      name: 'gen_ai_server_time_to_first_token_seconds',
      help: 'From request headers to the first bytes of a streamed answer that the client is sent.',
      labelNames: ['provider', 'operation'] as const,
      buckets: DURATION_BUCKETS,
      registers,
    }),
    auditRecords: new Counter({
      name: 'gateway_audit_records_total',
      help: 'Audit records by sink (stdout, file, stream), written or dropped for want of room.',
      labelNames: ['sink', 'outcome'] as const,
      registers,
    }),
    redisUp: new Gauge({
      name: 'gateway_redis_up',
      help: '1 while this worker reaches Redis.',
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
