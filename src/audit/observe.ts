import type { AuditEvent, MatchDigest } from '../telemetry/audit.ts';
import type { ReportedVerdict } from '../telemetry/observer.ts';
import {
  DECISION,
  dispositionOf,
  findingDisposition,
  inspected,
  inspectedResources,
  SEVERITY_OF,
  severityOf,
} from './dispositions.ts';
import {
  apiOf,
  auditedActor,
  resourcesOf,
  anonymousApi,
  unadmittedApi,
  type AuditedExchange,
  type AuditedFinish,
  type MatchedText,
  type PolicyRecord,
} from './observed.ts';
import { apiActivity, boundedText, detectionFinding, type DetectionEvent } from './ocsf.ts';
import { owaspIds } from '../owasp.ts';
import type { AuditTrail } from './trail.ts';

export interface TrailObserver {
  forwarding(exchange: AuditedExchange): void;
  finished(finish: AuditedFinish): void;
  verdict(exchange: AuditedExchange, check: string, verdict: ReportedVerdict, enforced: boolean): void;
  policyDecided(exchange: AuditedExchange, decided: PolicyRecord): void;
  reserved(exchange: AuditedExchange, reservedUsd: number): void;
  charged(exchange: AuditedExchange, costUsd: number): void;
  /** Records a number of unauthenticated requests that have no records of their own. */
  unlogged(requests: number, what: string): void;
  /** Records an event about a key outside requests, such as an approval. */
  noted(fields: object, message: string): void;
  inspected(event: AuditEvent): void;
  /** Records DLP findings. The action is recorded with the verdict. */
  dlpFound(
    exchange: AuditedExchange,
    side: 'request' | 'answer',
    found: readonly MatchedText[],
    digest: MatchDigest,
  ): void;
}

const DETECTORS: ReadonlySet<string> = new Set(['dlp', 'mcp-inspector', 'loop', 'drift']);
const MAX_EVIDENCES = 64;
/** Longer texts are truncated before secrets are masked. */
const MAX_READ_CHARS = 4_096;
/** Limit per request. Further verdicts are only counted, unless they are denials. */
const MAX_VERDICTS = 32;

interface Verdicts {
  readonly list: { readonly decision: string; readonly policy: object }[];
  more: number;
  policy: PolicyRecord | undefined;
  reservedUsd: number | undefined;
  costUsd: number | undefined;
}

/** @param maskSecrets applied to texts from clients and rules (models, tools, reasons) */
export function createTrailObserver(
  trail: Pick<AuditTrail, 'record'>,
  maskSecrets: (text: string) => string,
): TrailObserver {
  /** Keyed by the facts of an exchange, which live as long as the exchange. */
  const verdicts = new WeakMap<object, Verdicts>();

  function verdictsOf({ facts }: AuditedExchange): Verdicts {
    const known = verdicts.get(facts);
    if (known !== undefined) return known;
    const fresh: Verdicts = {
      list: [],
      more: 0,
      policy: undefined,
      reservedUsd: undefined,
      costUsd: undefined,
    };
    verdicts.set(facts, fresh);
    return fresh;
  }

  const safe = (text: string): string => boundedText(maskSecrets(text.slice(0, MAX_READ_CHARS)));

  function finding(
    { requestId }: Pick<AuditedExchange, 'requestId'>,
    event: Omit<DetectionEvent, 'requestId' | 'severity' | 'owasp'>,
  ): void {
    trail.record(
      detectionFinding({
        requestId,
        severity: SEVERITY_OF[event.disposition],
        owasp: owaspIds({
          classes: event.evidences.map((evidence) => evidence.class),
          check: event.detector,
        }),
        ...event,
      }),
    );
  }

  return {
    forwarding(exchange) {
      const { list, reservedUsd } = verdictsOf(exchange);
      trail.record(
        apiActivity({
          ...apiOf(exchange, safe),
          message: 'forwarded',
          severity: 'informational',
          disposition: 'allowed',
          authorizations: list,
          unmapped: {
            stage: 'forwarding',
            ...(exchange.alias !== undefined && { alias: exchange.alias }),
            ...(reservedUsd !== undefined && { reserved_usd: reservedUsd }),
          },
        }),
      );
    },
    finished({ exchange, refusal, status, usage, ...finish }) {
      if (!finish.isLogged) return;
      const known = exchange && verdicts.get(exchange.facts);
      const { policy, reservedUsd, costUsd, list = [], more = 0 } = known ?? {};
      trail.record(
        apiActivity({
          ...(exchange === undefined ? unadmittedApi(finish, refusal?.key) : apiOf(exchange, safe)),
          message: refusal === undefined ? 'answered' : safe(refusal.message),
          severity: severityOf(refusal?.type),
          disposition: dispositionOf(refusal?.type, status),
          status,
          refusal: refusal?.type,
          durationMs: finish.durationMs,
          authorizations: list,
          tokens: usage && { input: usage.inputTokens, output: usage.outputTokens },
          unmapped: {
            stage: 'finished',
            outcome: finish.outcome.kind,
            ...(finish.traceId !== undefined && { trace_id: finish.traceId }),
            ...(exchange?.alias !== undefined && { alias: exchange.alias }),
            ...(reservedUsd !== undefined && { reserved_usd: reservedUsd }),
            ...(costUsd !== undefined && { cost_usd: costUsd }),
            ...(more > 0 && { more_verdicts: more }),
            ...refusedFor(refusal),
            ...(policy && {
              policy_set: policy.policySet,
              policy_verdict: policy.verdict,
              rules: policy.rules,
            }),
          },
        }),
      );
    },
    verdict(exchange, check, verdict, enforced) {
      const known = verdictsOf(exchange);
      // A stream may be rewritten thousands of times. Denials are always recorded.
      if (known.list.length >= MAX_VERDICTS && verdict.kind !== 'deny') {
        known.more += 1;
        return;
      }
      const reason = safe(verdict.reason ?? verdict.message ?? '');
      const decision =
        enforced || verdict.kind === 'flag' ? DECISION[verdict.kind] : `would be ${DECISION[verdict.kind]}`;
      known.list.push({ decision, policy: { name: check, ...(reason !== '' && { desc: reason }) } });
      if (!DETECTORS.has(check)) return;
      finding(exchange, {
        detector: check,
        title: verdict.type ?? `${check}: ${DECISION[verdict.kind]}`,
        message: reason,
        disposition: enforced ? findingDisposition(verdict) : 'detected',
        evidences: (verdict.findings ?? []).map(
          ({ rule, finding: found = rule, class: kind = 'pattern', ...where }) => ({
            ...where,
            rule: found,
            class: kind,
          }),
        ),
        resources: resourcesOf(exchange, safe),
        actor: auditedActor(exchange, safe),
        unmapped: { enforced },
      });
    },
    policyDecided(exchange, decided) {
      verdictsOf(exchange).policy = decided;
    },
    reserved(exchange, reservedUsd) {
      verdictsOf(exchange).reservedUsd = reservedUsd;
    },
    charged(exchange, costUsd) {
      verdictsOf(exchange).costUsd = costUsd;
    },
    noted(fields, message) {
      const keyHash =
        'key_hash' in fields && typeof fields.key_hash === 'string' ? fields.key_hash : undefined;
      trail.record(
        apiActivity({
          ...anonymousApi({ requestId: 'none', clientAddress: '' }),
          actor: { uid: keyHash, name: undefined },
          message,
          severity: 'medium',
          disposition: 'detected',
          authorizations: [],
          unmapped: { stage: 'event', ...fields },
        }),
      );
    },
    unlogged(requests, what) {
      trail.record(
        apiActivity({
          ...anonymousApi({ requestId: 'none', clientAddress: '' }),
          message: what,
          severity: 'low',
          disposition: 'blocked',
          authorizations: [],
          unmapped: { requests },
        }),
      );
    },
    dlpFound(exchange, side, found, digest) {
      const evidences = found
        .slice(0, MAX_EVIDENCES)
        .map(({ finding: { rule, start, end, ...match }, text, where }) => ({
          rule,
          class: match.class,
          start,
          end,
          digest: digest(text),
          ...where,
        }));
      finding(exchange, {
        detector: 'dlp',
        title: `found in the ${side}`,
        message: [...new Set(evidences.map(({ rule }) => rule))].join(', '),
        disposition: 'detected',
        evidences,
        resources: resourcesOf(exchange, safe),
        actor: auditedActor(exchange, safe),
        unmapped: found.length > MAX_EVIDENCES ? { more_findings: found.length - MAX_EVIDENCES } : {},
      });
    },
    inspected(event) {
      if (event.action === 'suppressed') return;
      finding(event, { ...inspected(event), resources: inspectedResources(event, safe) });
    },
  };
}

function refusedFor(refusal: AuditedFinish['refusal']): object {
  if (refusal === undefined) return {};
  const { type, findings = [] } = refusal;
  const owasp = owaspIds({ classes: findings.map((found) => found.class), type });
  return { ...(findings.length > 0 && { findings }), ...(owasp.length > 0 && { owasp }) };
}
