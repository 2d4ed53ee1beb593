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

  function counter<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Counter<Label> {
    return new Counter({ name, help, labelNames, registers });
  }
  function gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers });
  }
  function seconds<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets: DURATION_BUCKETS, registers });
  }

  return {
    registry,
    requests: counter(
      'gateway_requests_total',
      'Finished requests by provider, operation, status class and refusal type (empty where none).',
      ['provider', 'operation', 'status', 'type'],
    ),
    duration: seconds('gateway_request_duration_seconds', 'From request headers to the end of the answer.', [
      'provider',
      'operation',
    ]),
    verdicts: counter(
      'gateway_check_verdicts_total',
      'Verdicts of checks other than pass; enforced is false in shadow mode and for flags.',
      ['check', 'verdict', 'type', 'enforced'],
    ),
    judgedAgain: counter(
      'gateway_judged_again_total',
      'Requests that the checks judged twice, because what was read ahead did not do, by the check that found so.',
      ['by'],
    ),
    failures: counter('gateway_failures_total', 'Requests that failed closed for an unexpected reason.'),
    authLimited: counter(
      'gateway_auth_limited_total',
      'Failed authentications over the limit of their client address.',
    ),
    tokenRefusals: counter(
      'gateway_jwt_refusals_total',
      'Requests refused for their JWT or DPoP proof, by what was wrong with it.',
      ['fault'],
    ),
    keySetReads: counter(
      'gateway_jwks_reads_total',
      'Readings of the key set that JWTs are verified by, by outcome (read, failed).',
      ['outcome'],
    ),
    policyLoads: counter(
      'gateway_policy_loads_total',
      'Policy sets that came into force, and changed files that made none (the last good set stays).',
      ['outcome'],
    ),
    policyReports: counter(
      'gateway_policy_reports_total',
      'Calls for which a rule fired that is in mode report (`policy.overrides`) and changed nothing, by rule and the action that it would have taken.',
      ['rule', 'action'],
    ),
    policyTroubles: counter(
      'gateway_policy_troubles_total',
      'Calls that the policies could not judge (an error, a time-out, a broken engine), and that were denied.',
    ),
    tokens: counter(
      'gen_ai_client_token_usage_total',
      'Tokens that providers reported, by kind (input, output).',
      ['provider', 'kind'],
    ),
    spend: counter('gateway_spend_usd_total', 'Cost charged to keys, in USD.', ['provider']),
    overReservation: counter(
      'gateway_cost_over_reservation_total',
      'Answers that cost more than their worst case; the difference was charged all the same.',
    ),
    toldDearer: counter(
      'gateway_told_dearer_usd_total',
      'USD charged because an answer told of a dearer model, service tier, speed or place, or of more tool calls, than was asked for.',
      ['provider'],
    ),
    absurdUsages: counter(
      'gateway_absurd_usages_total',
      'Answers whose usage cannot be true; their reservation was charged.',
      ['provider'],
    ),
    budgetAlerts: counter('gateway_budget_alerts_total', 'Alert thresholds that a key crossed, by window.', [
      'window',
    ]),
    alerts: counter(
      'gateway_alerts_total',
      'Messages to alerting.webhook_url by type and outcome (delivered, refused, unreachable, queue_full, stopped).',
      ['type', 'outcome'],
    ),
    dlpFindings: counter(
      'gateway_dlp_findings_total',
      'Bodies and streams in which data-loss prevention found something, by class, side and action.',
      ['class', 'side', 'action'],
    ),
    mcpCircuits: counter(
      'gateway_mcp_circuit_changes_total',
      'Circuits of MCP servers that opened or closed, for all keys (server) or for one (key).',
      ['server', 'circuit', 'change'],
    ),
    escalations: counter(
      'gateway_escalations_total',
      'Requests that a policy escalated, by how they went on (approved, denied, timeout, full, withdrawn, failed).',
      ['outcome'],
    ),
    escalationsPending: gauge('gateway_escalations_pending', 'Requests that wait for an approval now.'),
    escalationAnswersRefused: counter(
      'gateway_escalation_answers_refused_total',
      'Answers to waiting requests that did not count: malformed, forged, mismatched (of another request), expired.',
      ['fault'],
    ),
    riskEvents: counter(
      'gateway_risk_events_total',
      'What counted against keys and scored, by trigger (policy_block, quarantine, escalation, taint, …).',
      ['trigger'],
    ),
    riskLocks: counter('gateway_risk_locks_total', 'Keys that were locked or blocked for good, by trigger.', [
      'trigger',
    ]),
    traceSpans: counter(
      'gateway_trace_spans_total',
      'Spans handed to the exporter of traces, by outcome (exported, failed).',
      ['outcome'],
    ),
    firstToken: seconds(
      'gen_ai_server_time_to_first_token_seconds',
      'From request headers to the first bytes of a streamed answer that the client is sent.',
      ['provider', 'operation'],
    ),
    auditRecords: counter(
      'gateway_audit_records_total',
      'Audit records by sink (stdout, file, stream), written or dropped for want of room.',
      ['sink', 'outcome'],
    ),
    redisUp: gauge('gateway_redis_up', '1 while this worker reaches Redis.'),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
