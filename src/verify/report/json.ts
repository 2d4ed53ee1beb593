import { VIOLATIONS, type TraceFinding } from '../finding.ts';
import { verdictOf, type Summary, type Unreadable } from '../summary.ts';
import { Listed, JsonList, type Report } from './report.ts';

/** @param write serializes a value on one line */
export function createJsonReport(write: (value: unknown) => string): Report {
  const masked = new Listed<unknown>();
  const unread = new Listed<unknown>();
  const violations = new JsonList();
  return {
    begin: () => '{\n"violations": [',
    finding(finding) {
      if (finding.action === 'mask') masked.add(findingJson(finding));
      return VIOLATIONS.has(finding.action) ? violations.add(write(findingJson(finding))) : '';
    },
    unreadable(unreadable) {
      unread.add(unreadableJson(unreadable));
      return '';
    },
    end(summary) {
      return [
        violations.end(),
        `,\n"masked": ${write(masked.items)}`,
        `,\n"unreadable": ${write(unread.items)}`,
        `,\n"summary": ${write(summaryJson(summary))}\n}\n`,
      ].join('');
    },
  };
}

export function findingJson(finding: TraceFinding): Record<string, unknown> {
  const { index, rule, action, reason, file, line, traceLine, at, ...where } = finding;
  return {
    index,
    rule,
    action,
    reason,
    file: file ?? null,
    line: line ?? null,
    check: where.check,
    owasp: where.owasp,
    type: where.type,
    session_id: where.session,
    agent: where.agent,
    provider: where.provider,
    model: where.model === '' ? null : where.model,
    tool_name: where.tool === '' ? null : where.tool,
    timestamp: at === undefined ? null : new Date(at).toISOString(),
    trace_line: traceLine,
  };
}

function unreadableJson({ index, line, problem }: Unreadable): Record<string, unknown> {
  return { index, trace_line: line, problem };
}

export function summaryJson(summary: Summary): Record<string, unknown> {
  const { mask, flag, ...violating } = summary.actions;
  return {
    trace: summary.trace,
    verdict: verdictOf(summary),
    elements: summary.elements,
    calls: summary.calls,
    responses: summary.responses,
    responses_to_denied: summary.responsesToDenied,
    violations: summary.violations,
    elements_with_violations: summary.elementsWithViolations,
    actions: violating,
    masked: mask,
    flagged: flag,
    unreadable: summary.unreadable,
    skipped: Object.fromEntries(summary.skipped),
    unjudged: Object.fromEntries(summary.unjudged),
    checks: summary.checks,
    policies: summary.policies ?? null,
  };
}
