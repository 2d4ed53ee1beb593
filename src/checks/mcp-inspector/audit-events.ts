import type { Finding } from '../../detectors/finding.ts';
import type { Answered } from '../../pipeline/exchange.ts';
import { calledTool } from '../../mcp/message.ts';
import type { Audit, AuditEvent, AuditedFinding, MatchDigest } from '../../telemetry/audit.ts';
import type { SecretAction } from './config.ts';
import type { MessageJudgement } from './decide.ts';
import type { PlacedFinding } from '../../inspect/message/search.ts';
import type { TextSpan } from '../../inspect/message/texts.ts';
import { PROTOCOL_NAMES } from '../../mcp/protocol-words.ts';

const MAX_LISTED = 64;

export interface RecorderDeps {
  readonly audit: Audit;
  /** False in shadow mode: the recorded action was not taken. */
  readonly enforced: boolean;
  readonly secrets: SecretAction;
}

export type RecordJudgement = (exchange: Answered, judgement: MessageJudgement) => void;

/** Emits audit events for judged messages: rules and places, never the matched text (docs/audit.md). */
export function createRecordJudgement(deps: RecorderDeps): RecordJudgement {
  const { audit, enforced } = deps;
  return (exchange, judgement) => {
    const { attacks, secrets, credentials, suspected, suppressed, withheld, changed } = judgement;
    const common = {
      requestId: exchange.requestId,
      keyHash: exchange.key.keyHash,
      server: exchange.mcp?.server ?? '',
      enforced,
    };
    const inspected = { ...common, event: 'tool_response_inspected', tool: calledTool(exchange.request.mcp) };
    const placed = [...secrets, ...attacks, ...credentials];
    if (placed.length > 0) {
      const action = secrets.length > 0 && deps.secrets === 'quarantine' ? 'blocked' : 'redacted';
      audit.emit({ ...inspected, action, ...listedFindings(placed, audit.digest) });
    }
    if (suspected.length > 0) {
      audit.emit({ ...inspected, action: 'flagged', ...listedFindings(suspected, audit.digest) });
    }
    if (suppressed.size > 0) {
      audit.emit({ ...inspected, action: 'suppressed', findings: [], suppressedRules: [...suppressed] });
    }
    for (const tool of changed.slice(0, MAX_LISTED)) {
      const action = withheld.get(tool) === 'changed' ? 'withheld' : 'flagged';
      audit.emit({ ...common, event: 'tool_definition_changed', action, tool: tool.name, findings: [] });
    }
  };
}

/** Returns up to `MAX_LISTED` findings. Beyond this number, placed findings are only counted. */
function listedFindings(
  placed: readonly PlacedFinding[],
  digest: MatchDigest,
): Pick<AuditEvent, 'findings' | 'moreFindings'> {
  const findings: AuditedFinding[] = [];
  for (const [index, { finding, spans }] of placed.entries()) {
    if (findings.length === MAX_LISTED) return { findings, moreFindings: placed.length - index };
    for (const span of spans.slice(0, MAX_LISTED - findings.length)) {
      findings.push(audited(finding, span, digest));
    }
  }
  return { findings };
}

function audited(finding: Finding, { source, start, end }: TextSpan, digest: MatchDigest): AuditedFinding {
  return {
    rule: finding.rule,
    class: finding.class,
    path: pathInWords(source.places[0]?.path ?? []),
    start,
    end,
    digest: digest(source.text.slice(start, end)),
  };
}

/** Returns a path with `*` for member names outside the protocol, which may contain the matched text. */
function pathInWords(path: readonly (string | number)[]): string {
  return path
    .map((step) => (typeof step === 'number' || PROTOCOL_NAMES.has(step) ? String(step) : '*'))
    .join('.');
}
