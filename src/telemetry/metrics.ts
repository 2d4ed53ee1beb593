import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** In seconds. Refusals take about a millisecond, answers up to several minutes. */
const DURATION_BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];

/**
 * Creates the metrics of one worker. `gateway serve` sums them over all workers. Label values come from closed sets,
 * never from keys, model names or paths. The only exceptions are metrics enabled in the `metrics` section.
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
      'Finished requests by provider, operation, status class and refusal type (empty if not refused).',
      ['provider', 'operation', 'status', 'type'],
    ),
    duration: seconds(
      'gateway_request_duration_seconds',
      'Time from the request headers to the end of the answer.',
      ['provider', 'operation'],
    ),
    verdicts: counter(
      'gateway_check_verdicts_total',
      'Verdicts of checks other than pass: loops, drift, budgets, rate limits, policies and others; enforced is false in shadow mode and for flags.',
      ['check', 'verdict', 'type', 'enforced'],
    ),
    judgedAgain: counter(
      'gateway_judged_again_total',
      'Requests that the checks judged twice because data read ahead did not suffice, by the check that noticed (docs/decisions/117-read-ahead.md).',
      ['by'],
    ),
    credentialAnswers: counter(
      'gateway_credential_answers_total',
      'Provider answers to gateway credentials, by outcome (accepted, refused; docs/provider-credentials.md).',
      ['credential', 'outcome'],
    ),
    credentialAnsweredAt: new Gauge({
      name: 'gateway_credential_answered_timestamp_seconds',
      help: 'Last time a provider accepted or refused a gateway credential, in Unix seconds; 0 for never.',
      labelNames: ['credential', 'outcome'],
      registers,
      aggregator: 'max',
    }),
    shedRequests: counter(
      'gateway_shed_requests_total',
      'New requests that an overloaded worker refused, by refused keys: largest (those with at least an even share of the work) or all (docs/serving.md#overload).',
      ['keys'],
    ),
    failures: counter('gateway_failures_total', 'Requests that failed closed for an unexpected reason.'),
    authLimited: counter(
      'gateway_auth_limited_total',
      "Failed authentications that exceeded their client address's limit.",
    ),
    tokenRefusals: counter(
      'gateway_jwt_refusals_total',
      'Requests refused because of their JWT or DPoP proof, by fault.',
      ['fault'],
    ),
    keySetReads: counter(
      'gateway_jwks_reads_total',
      'Fetches of the key set that verifies JWTs, by outcome (read, failed).',
      ['outcome'],
    ),
    policyLoads: counter(
      'gateway_policy_loads_total',
      'Policy sets that were loaded, and changed files that could not be loaded (the last valid set stays active).',
      ['outcome'],
    ),
    policiesBroken: gauge(
      'gateway_policies_broken',
      'Workers that currently cannot load the policy files; their last valid set stays active.',
    ),
    policyReports: counter(
      'gateway_policy_reports_total',
      'Calls that matched a rule in report mode (`policy.overrides`), by rule and the action it would have taken.',
      ['rule', 'action'],
    ),
    policyTroubles: counter(
      'gateway_policy_troubles_total',
      'Calls denied because the policies could not be evaluated (error, timeout, broken engine).',
    ),
    tokens: counter(
      'gen_ai_client_token_usage_total',
      'Tokens that providers reported, by kind (input, output).',
      ['provider', 'kind'],
    ),
    spend: counter('gateway_spend_usd_total', 'Cost charged to keys, in USD.', ['provider']),
    modelSpend: counter(
      'gateway_model_spend_usd_total',
      'Cost charged to keys by requested model, in USD; only with metrics.spend_models.',
      ['provider', 'model'],
    ),
    ownerSpend: counter(
      'gateway_owner_spend_usd_total',
      'Cost charged to keys by their owner, in USD; only with metrics.spend_owners.',
      ['owner'],
    ),
    budgetUsed: new Gauge({
      name: 'gateway_budget_used_ratio',
      help: 'Share of a budget that is spent, for the most recently charged keys; only with metrics.budget_keys.',
      labelNames: ['key', 'window'],
      registers,
      // Workers that track the same key read the same budget.
      aggregator: 'max',
    }),
    overReservation: counter(
      'gateway_cost_over_reservation_total',
      'Answers that cost more than their reservation; the difference was also charged.',
    ),
    higherCharges: counter(
      'gateway_told_dearer_usd_total',
      'USD charged because an answer reported a more expensive model, service tier, speed or region, or more tool calls, than requested.',
      ['provider'],
    ),
    absurdUsages: counter(
      'gateway_absurd_usages_total',
      'Answers that reported implausible usage; their reservation was charged.',
      ['provider'],
    ),
    budgetAlerts: counter(
      'gateway_budget_alerts_total',
      'Alert thresholds that keys or shared budgets crossed, by window.',
      ['window'],
    ),
    alerts: counter(
      'gateway_alerts_total',
      'Messages to alerting.webhook_url by type and outcome (delivered, refused, unreachable, queue_full, stopped).',
      ['type', 'outcome'],
    ),
    dlpFindings: counter(
      'gateway_dlp_findings_total',
      'Bodies and streams with data-loss prevention findings, by class, side and action.',
      ['class', 'side', 'action'],
    ),
    mcpCircuits: counter(
      'gateway_mcp_circuit_changes_total',
      'MCP circuits that opened or closed, for all keys (server) or for one (key).',
      ['server', 'circuit', 'change'],
    ),
    escalations: counter(
      'gateway_escalations_total',
      'Requests that a policy escalated, by outcome (approved, denied, timeout, full, over_share, withdrawn, failed).',
      ['outcome'],
    ),
    escalationsPending: gauge('gateway_escalations_pending', 'Requests currently waiting for approval.'),
    escalationAnswersRefused: counter(
      'gateway_escalation_answers_refused_total',
      'Rejected answers to waiting requests, by fault: malformed, forged, mismatched (for another request), expired.',
      ['fault'],
    ),
    riskEvents: counter(
      'gateway_risk_events_total',
      "Events that raised a key's risk score, by trigger (policy_block, quarantine, escalation, taint, …).",
      ['trigger'],
    ),
    riskLocks: counter(
      'gateway_risk_locks_total',
      'Keys locked temporarily or blocked permanently, by trigger.',
      ['trigger'],
    ),
    traceSpans: counter(
      'gateway_trace_spans_total',
      'Trace spans by outcome: exported, failed (not accepted by the collector), dropped (queue full).',
      ['outcome'],
    ),
    firstToken: seconds(
      'gen_ai_server_time_to_first_token_seconds',
      'Time from the request headers until the first bytes of a streamed answer are sent to the client.',
      ['provider', 'operation'],
    ),
    auditRecords: counter(
      'gateway_audit_records_total',
      'Audit records by sink (stdout, file, stream, otlp, syslog), written or dropped (queue full, or refused by the receiver).',
      ['sink', 'outcome'],
    ),
    unknownForms: counter(
      'gateway_unknown_forms_total',
      'Requests refused because a stored value has a version that this build does not read, by form (docs/upgrading.md).',
      ['form'],
    ),
    redisUp: gauge('gateway_redis_up', '1 if this worker is connected to Redis.'),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
