import { maskSecrets } from '../detectors/mask.ts';
import type { ObservedVerdict } from '../pipeline/enforcement.ts';
import type { Decision, RuleHit } from '../policy/decision.ts';
import type { AuditEvent } from '../telemetry/audit.ts';
import { owaspIds } from '../owasp.ts';
import type { TraceFinding, FindingAction } from './finding.ts';
import { UNNAMED_SERVER } from './exchange.ts';
import type { TracePlace, TracedStep } from './step.ts';

export interface FindingCollector {
  begin(step: TracedStep, place: TracePlace): void;
  take(): readonly TraceFinding[];
  verdict(check: string, verdict: ObservedVerdict): void;
  readonly audit: (event: AuditEvent) => void;
  /** Reports a policy decision. Must be called before the policy check's verdict. */
  readonly decided: (decision: Decision) => void;
  readonly trouble: (cause: unknown) => void;
}

const MAX_READ_CHARS = 4_096;
const MAX_SHOWN_CHARS = 512;
const MAX_NAME_CHARS = 128;
const MAX_HITS = 100;

export function createFindingCollector(): FindingCollector {
  let step: TracedStep | undefined;
  let place: TracePlace = { index: 0, line: 0 };
  let found: TraceFinding[] = [];
  let decision: Decision | undefined;
  let audited: AuditEvent | undefined;
  let cause: unknown;

  function add(check: string, hit: RuleHit, action: FindingAction, classes = classesOf(hit)): void {
    if (step === undefined) return;
    found.push({
      index: place.index,
      traceLine: place.line,
      type: step.type,
      at: step.at,
      session: name(step.sessionId),
      agent: name(step.agent.name),
      ...calledBy(step),
      check,
      rule: name(hit.rule),
      action,
      reason: shownOrLong(hit.reason),
      file: hit.file,
      line: hit.line,
      owasp: owaspIds({ classes, check }),
    });
  }

  function ofPolicies(verdict: ObservedVerdict): boolean {
    if (decision === undefined || verdict.kind === 'flag') return false;
    const actions =
      verdict.kind === 'deny' ? (['quarantine', 'deny', 'escalate'] as const) : (['mask'] as const);
    const hits = actions.flatMap((action) => decision?.[action].map((hit) => ({ hit, action })) ?? []);
    for (const { hit, action } of hits.slice(0, MAX_HITS)) add('policy', hit, action);
    return hits.length > 0;
  }

  return {
    begin(next, at) {
      step = next;
      place = at;
    },
    take() {
      const taken = found;
      found = [];
      decision = undefined;
      audited = undefined;
      cause = undefined;
      return taken;
    },
    verdict(check, verdict) {
      if (check === 'policy' && ofPolicies(verdict)) return;
      const text = verdict.kind === 'deny' ? verdict.message : verdict.reason;
      const reason = cause instanceof Error ? `${text}: ${cause.message}` : text;
      const rule = ruleOfVerdict(check, verdict, audited);
      const inspected = check === 'mcp-inspector' ? audited?.findings : undefined;
      const denied = verdict.kind === 'deny' ? verdict.findings : undefined;
      const classes = (inspected ?? denied ?? []).map((finding) => finding.class);
      add(check, { rule, reason }, actionOf(check, verdict, audited), classes);
    },
    audit(event) {
      if (event.action !== 'suppressed') audited = event;
    },
    decided: (next) => void (decision = next),
    trouble: (why) => void (cause = why),
  };
}

function classesOf({ found = [] }: RuleHit): readonly (string | undefined)[] {
  return found.map((finding) => finding.class);
}

function actionOf(check: string, verdict: ObservedVerdict, audited: AuditEvent | undefined): FindingAction {
  if (verdict.kind === 'flag') return 'flag';
  if (verdict.kind === 'deny') {
    return verdict.type === 'dlp_quarantine' || audited?.action === 'blocked' ? 'quarantine' : 'deny';
  }
  const isAttack =
    check === 'mcp-inspector' &&
    audited?.findings.some((finding) => finding.class !== 'secret' && finding.class !== 'credentials') ===
      true;
  return isAttack ? 'redact' : 'mask';
}

function ruleOfVerdict(check: string, verdict: ObservedVerdict, audited: AuditEvent | undefined): string {
  const inspected = check === 'mcp-inspector' ? audited?.findings[0]?.rule : undefined;
  if (inspected !== undefined) return inspected;
  if (verdict.kind !== 'deny') return check;
  return verdict.details?.rule ?? verdict.type;
}

function calledBy({
  type,
  provider,
  model,
  server,
  tool,
}: TracedStep): Pick<TraceFinding, 'provider' | 'model' | 'tool'> {
  const isTool = type === 'mcp_tool_call' || type === 'mcp_tool_response';
  return {
    provider: isTool ? name(server === '' ? UNNAMED_SERVER : server) : (provider ?? ''),
    model: name(model ?? ''),
    tool: name(tool),
  };
}

/** Masks and truncates a name from the trace. */
function name(written: string): string {
  return maskSecrets(written.slice(0, MAX_READ_CHARS)).slice(0, MAX_NAME_CHARS);
}

function shownOrLong(reason: string): string {
  if (reason.length > MAX_READ_CHARS) return 'a rule (its text is too long to show)';
  return maskSecrets(reason).slice(0, MAX_SHOWN_CHARS);
}
