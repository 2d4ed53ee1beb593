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
import type { AuditedExchange, AuditedFinish, MatchedText, PolicyRecord } from './observed.ts';
import {
  apiActivity,
  detectionFinding,
  boundedText,
  type Activity,
  type Actor,
  type Disposition,
  type Evidence,
  type Resource,
} from './ocsf.ts';
import { owaspIds } from '../owasp.ts';
import type { AuditTrail } from './trail.ts';

/** Turns reports of the edge, the runner and the checks into audit records. */
export interface TrailObserver {
  /** Called just before a request is sent upstream. */
  forwarding(exchange: AuditedExchange): void;
  finished(finish: AuditedFinish): void;
  verdict(exchange: AuditedExchange, check: string, verdict: ReportedVerdict, enforced: boolean): void;
  policyDecided(exchange: AuditedExchange, decided: PolicyRecord): void;
  /** Records the worst-case cost that a request reserved. */
  reserved(exchange: AuditedExchange, reservedUsd: number): void;
  charged(exchange: AuditedExchange, costUsd: number): void;
  /** Counts unauthenticated requests that got no record of their own. */
  unlogged(requests: number, what: string): void;
  /** Records an event about a key, outside a request: an approval, for example. */
  noted(fields: object, message: string): void;
  inspected(event: AuditEvent): void;
  /** Records what DLP found. Its action is recorded by the verdict. */
  dlpFound(
    exchange: AuditedExchange,
    side: 'request' | 'answer',
    found: readonly MatchedText[],
    digest: MatchDigest,
  ): void;
}

/** Checks whose verdict means that something was found. */
const DETECTORS: ReadonlySet<string> = new Set(['dlp', 'mcp-inspector', 'loop', 'drift']);
/** Evidences listed in one finding. */
const MAX_EVIDENCES = 64;
/** Length of a text that is searched for secrets. */
const MAX_READ_CHARS = 4_096;
/** Verdicts recorded for one request; more are only counted. */
const MAX_VERDICTS = 32;

interface Verdicts {
  readonly list: { readonly decision: string; readonly policy: object }[];
  more: number;
  policy: PolicyRecord | undefined;
  reservedUsd: number | undefined;
  costUsd: number | undefined;
}

const MCP_RESOURCES: ReadonlyMap<string, Resource['type']> = new Map([
  ['tools/call', 'mcp_tool'],
  ['prompts/get', 'mcp_prompt'],
  ['resources/read', 'mcp_resource'],
  ['resources/subscribe', 'mcp_resource'],
  ['resources/unsubscribe', 'mcp_resource'],
  ['resources/directory/read', 'mcp_resource'],
  ['skills/get', 'mcp_resource'],
]);

/** @param maskSecrets applied to texts from clients and rules: models, tools, reasons */
export function createTrailObserver(
  trail: Pick<AuditTrail, 'record'>,
  maskSecrets: (text: string) => string,
): TrailObserver {
  /** Keyed by the exchange's facts, which live as long as the exchange. */
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

  function resourcesOf({ key, mcp, request }: AuditedExchange): Resource[] {
    const named = request?.mcp?.name;
    const type = MCP_RESOURCES.get(request?.mcp?.method ?? '');
    return [
      { type: 'proxy_key', name: key.name },
      ...(mcp === undefined ? [] : [{ type: 'mcp_server' as const, name: mcp.server }]),
      ...(named === undefined || type === undefined ? [] : [{ type, name: safe(named) }]),
    ];
  }

  function serviceOf({ mcp, provider }: AuditedExchange): string {
    return mcp === undefined ? (provider?.name ?? 'none') : `mcp:${mcp.server}`;
  }

  function modelOf({ request }: AuditedExchange): string | undefined {
    return request?.model === undefined ? undefined : safe(request.model);
  }

  function apiOf(exchange: AuditedExchange) {
    const method = exchange.request?.mcp?.method;
    return {
      requestId: exchange.requestId,
      actor: auditedActor(exchange),
      resources: resourcesOf(exchange),
      activity: activityOf(exchange.method),
      operation: method === undefined ? (exchange.endpoint?.operation ?? 'none') : safe(method),
      service: serviceOf(exchange),
      clientAddress: exchange.clientAddress,
      model: modelOf(exchange),
    };
  }

  function finding(
    exchange: Pick<AuditedExchange, 'requestId'> & Partial<AuditedExchange>,
    event: {
      readonly detector: string;
      readonly title: string;
      readonly message: string;
      readonly disposition: Disposition;
      readonly evidences: readonly Evidence[];
      readonly resources: readonly Resource[];
      readonly actor: Actor;
      readonly unmapped: object;
    },
  ): void {
    trail.record(
      detectionFinding({
        requestId: exchange.requestId,
        severity: SEVERITY_OF[event.disposition],
        owasp: owaspIds({ classes: event.evidences.map((one) => one.class), check: event.detector }),
        ...event,
      }),
    );
  }

  return {
    forwarding(exchange) {
      const { list, reservedUsd } = verdictsOf(exchange);
      trail.record(
        apiActivity({
          ...apiOf(exchange),
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
          ...(exchange === undefined ? unadmittedApi(finish, refusal?.key) : apiOf(exchange)),
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
        resources: resourcesOf(exchange),
        actor: auditedActor(exchange),
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
          ...strangersApi({ requestId: 'none', clientAddress: '' }),
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
          ...strangersApi({ requestId: 'none', clientAddress: '' }),
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
        resources: resourcesOf(exchange),
        actor: auditedActor(exchange),
        unmapped: found.length > MAX_EVIDENCES ? { more_findings: found.length - MAX_EVIDENCES } : {},
      });
    },
    inspected(event) {
      if (event.action === 'suppressed') return;
      finding(event, { ...inspected(event), resources: inspectedResources(event, safe) });
    },
  };
}

/** Returns the reason of a refusal, for `unmapped`. */
function refusedFor(refusal: AuditedFinish['refusal']): object {
  if (refusal === undefined) return {};
  const { type, findings = [] } = refusal;
  const owasp = owaspIds({ classes: findings.map((one) => one.class), type });
  return { ...(findings.length > 0 && { findings }), ...(owasp.length > 0 && { owasp }) };
}

function auditedActor({ key, facts }: AuditedExchange): Actor {
  return {
    uid: key.keyHash,
    name: key.name,
    agentName: key.agentName,
    owner: key.owner,
    sessionId: facts.session?.id,
  };
}

/**
 * Returns the record of a request that was refused before admission. The key is known if it is locked or
 * blocked.
 */
function unadmittedApi(
  finish: Pick<AuditedFinish, 'requestId' | 'clientAddress'>,
  key: { readonly keyHash: string; readonly name: string } | undefined,
) {
  const api = strangersApi(finish);
  if (key === undefined) return api;
  const resources: readonly Resource[] = [{ type: 'proxy_key', name: key.name }];
  return { ...api, actor: { uid: key.keyHash, name: key.name }, resources };
}

function strangersApi({
  requestId,
  clientAddress,
}: {
  readonly requestId: string;
  readonly clientAddress: string;
}) {
  return {
    requestId,
    clientAddress,
    actor: { uid: undefined, name: undefined },
    resources: [],
    activity: 'create' as const,
    operation: 'none',
    service: 'none',
  };
}

function activityOf(method: string): Activity {
  if (method === 'GET' || method === 'HEAD') return 'read';
  return method === 'DELETE' ? 'delete' : 'create';
}
