import { BUDGET_WINDOWS } from './budget-windows.ts';
import type { Config } from './config/schema.ts';
import type { AlertEvent } from './alerting/event.ts';
import type { LossReason } from './alerting/delivery.ts';
import { TOKEN_FAULTS } from './auth/jwt/faults.ts';
import { ANSWER_FAULTS } from './escalation/approval.ts';
import { ESCALATION_OUTCOMES } from './escalation/escalation.ts';
import { PROVIDER_NAMES } from './providers/registry.ts';
import { CONTENT_CLASSES } from './detectors/finding.ts';
import { TRIGGERS } from './risk/scoring.ts';
import type { Metrics } from './telemetry/metrics.ts';

const ALERT_TYPES: Readonly<Record<AlertEvent['type'], true>> = {
  'budget.threshold': true,
  'key.quarantined': true,
  'escalation.requested': true,
  'circuit.opened': true,
  'circuit.closed': true,
};
const ALERT_OUTCOMES: Readonly<Record<LossReason | 'delivered', true>> = {
  delivered: true,
  refused: true,
  unreachable: true,
  queue_full: true,
  stopped: true,
};

const DLP_ACTIONS = { request: ['mask', 'deny', 'report'], answer: ['mask', 'quarantine'] } as const;

/**
 * Creates series with closed label sets at zero. Prometheus sees no increase in a series that starts with its first
 * event, so the first lock or lost record of a process would trigger no alert.
 */
export function startAtZero(metrics: Metrics, config: Config): void {
  for (const credential of Object.keys(config.credentials))
    for (const outcome of ['accepted', 'refused']) {
      metrics.credentialAnswers.inc({ credential, outcome }, 0);
      metrics.credentialAnsweredAt.inc({ credential, outcome }, 0);
    }
  for (const keys of ['largest', 'all']) metrics.shedRequests.inc({ keys }, 0);
  for (const outcome of ['loaded', 'broken']) metrics.policyLoads.inc({ outcome }, 0);
  for (const trigger of Object.keys(TRIGGERS)) {
    metrics.riskEvents.inc({ trigger }, 0);
    metrics.riskLocks.inc({ trigger }, 0);
  }
  for (const sink of ['stdout', 'file', 'stream', 'otlp', 'syslog'])
    for (const outcome of ['written', 'dropped']) metrics.auditRecords.inc({ sink, outcome }, 0);
  for (const outcome of ['exported', 'failed', 'dropped']) metrics.traceSpans.inc({ outcome }, 0);
  for (const outcome of ESCALATION_OUTCOMES) metrics.escalations.inc({ outcome }, 0);
  for (const fault of ANSWER_FAULTS) metrics.escalationAnswersRefused.inc({ fault }, 0);
  for (const window of BUDGET_WINDOWS) metrics.budgetAlerts.inc({ window }, 0);
  for (const outcome of ['read', 'failed']) metrics.keySetReads.inc({ outcome }, 0);
  for (const fault of TOKEN_FAULTS) metrics.tokenRefusals.inc({ fault }, 0);
  for (const type of Object.keys(ALERT_TYPES))
    for (const outcome of Object.keys(ALERT_OUTCOMES)) metrics.alerts.inc({ type, outcome }, 0);
  for (const found of CONTENT_CLASSES)
    for (const [side, actions] of Object.entries(DLP_ACTIONS))
      for (const action of actions) metrics.dlpFindings.inc({ class: found, side, action }, 0);
  for (const provider of PROVIDER_NAMES) startProvider(metrics, provider);
  for (const { name: server } of config.mcp.servers)
    for (const circuit of ['server', 'key'])
      for (const change of ['opened', 'closed']) metrics.mcpCircuits.inc({ server, circuit, change }, 0);
}

function startProvider({ tokens, spend, higherCharges, absurdUsages }: Metrics, provider: string): void {
  for (const kind of ['input', 'output']) tokens.inc({ provider, kind }, 0);
  for (const counter of [spend, higherCharges, absurdUsages]) counter.inc({ provider }, 0);
}
