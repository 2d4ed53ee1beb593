import type { AuditEvent } from '../telemetry/audit.ts';
import type { ReportedVerdict } from '../telemetry/observer.ts';
import type { Disposition, Resource, Severity } from './ocsf.ts';

/** Refusals that an operator should investigate. */
const SEVERE: ReadonlySet<string> = new Set(['quarantined', 'agent_risk_blocked', 'dlp_quarantine']);

export const DECISION = { flag: 'flagged', rewrite: 'rewritten', deny: 'denied' } as const;

export const SEVERITY_OF: Readonly<Record<Disposition, Severity>> = {
  allowed: 'informational',
  detected: 'low',
  corrected: 'medium',
  error: 'medium',
  blocked: 'high',
  quarantined: 'high',
};

const INSPECTED: Readonly<Record<Exclude<AuditEvent['action'], 'suppressed'>, Disposition>> = {
  redacted: 'corrected',
  withheld: 'corrected',
  blocked: 'quarantined',
  flagged: 'detected',
};

export function findingDisposition({ kind, type }: ReportedVerdict): Disposition {
  if (kind === 'flag') return 'detected';
  if (kind === 'rewrite') return 'corrected';
  return type === 'dlp_quarantine' ? 'quarantined' : 'blocked';
}

export function dispositionOf(refusal: string | undefined, status: number): Disposition {
  if (refusal === undefined) return status >= 500 ? 'error' : 'allowed';
  return SEVERE.has(refusal) ? 'quarantined' : 'blocked';
}

export function severityOf(refusal: string | undefined): Severity {
  if (refusal === undefined) return 'informational';
  return SEVERE.has(refusal) ? 'high' : 'medium';
}

export function inspected(event: AuditEvent) {
  const { action, enforced } = event;
  return {
    detector: 'mcp-inspector',
    title: event.event,
    message: [...new Set(event.findings.map(({ rule }) => rule))].join(', '),
    disposition: enforced && action !== 'suppressed' ? INSPECTED[action] : ('detected' as const),
    evidences: event.findings,
    actor: { uid: event.keyHash, name: undefined },
    unmapped: {
      enforced,
      action,
      ...(event.moreFindings !== undefined && { more_findings: event.moreFindings }),
    },
  };
}

export function inspectedResources({ server, tool }: AuditEvent, safe: (text: string) => string): Resource[] {
  return [
    ...(server === undefined ? [] : [{ type: 'mcp_server' as const, name: server }]),
    ...(tool === undefined ? [] : [{ type: 'mcp_tool' as const, name: safe(tool) }]),
  ];
}
