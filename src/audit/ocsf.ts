/** Audit records in the Open Cybersecurity Schema Framework 1.8 format (schema.ocsf.io). */
import { randomUUID } from 'node:crypto';
import { owaspIds } from '../owasp.ts';

const VERSION = '1.8.0';
const PRODUCT = { name: 'AI firewall gateway', vendor_name: 'ai-firewall-gateway' };
const PROFILES = ['security_control', 'ai_operation'];

const MAX_TEXT_CHARS = 512;

export type OcsfRecord = ApiActivity | DetectionFinding;

export const DISPOSITION = {
  allowed: [1, 'Allowed'],
  blocked: [2, 'Blocked'],
  quarantined: [3, 'Quarantined'],
  corrected: [11, 'Corrected'],
  detected: [15, 'Detected'],
  error: [27, 'Error'],
} as const;
export type Disposition = keyof typeof DISPOSITION;

const SEVERITY = {
  informational: [1, 'Informational'],
  low: [2, 'Low'],
  medium: [3, 'Medium'],
  high: [4, 'High'],
} as const;
export type Severity = keyof typeof SEVERITY;

const ACTIVITY = {
  create: [1, 'Create'],
  read: [2, 'Read'],
  update: [3, 'Update'],
  delete: [4, 'Delete'],
} as const;
export type Activity = keyof typeof ACTIVITY;

interface Common {
  readonly category_uid: number;
  readonly class_name: string;
  readonly activity_id: number;
  readonly activity_name: string;
  readonly type_uid: number;
  /** Unix ms. */
  readonly time: number;
  readonly severity_id: number;
  readonly severity: string;
  readonly metadata: object;
  readonly action_id: 1 | 2;
  readonly disposition_id: number;
  readonly disposition: string;
  readonly message: string;
  readonly unmapped: object;
}

export interface ApiActivity extends Common {
  readonly class_uid: 6003;
  readonly actor: object;
  readonly api: object;
  readonly src_endpoint: object;
}

export interface DetectionFinding extends Common {
  readonly class_uid: 2004;
  readonly finding_info: object;
}

export interface Actor {
  /** Hash of the proxy key, or `Operator.user`. */
  readonly uid: string | undefined;
  readonly name: string | undefined;
  readonly agentName?: string | undefined;
  readonly owner?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** Undefined members are omitted. */
interface Event {
  readonly requestId: string;
  readonly message: string;
  readonly severity: Severity;
  readonly disposition: Disposition;
  readonly actor: Actor;
  readonly resources: readonly Resource[];
  readonly unmapped: object;
}

export interface Resource {
  readonly type: 'model' | 'mcp_server' | 'mcp_tool' | 'mcp_resource' | 'mcp_prompt' | 'proxy_key';
  readonly name: string;
}

export interface ApiEvent extends Event {
  readonly activity: Activity;
  readonly operation: string;
  readonly service: string;
  readonly clientAddress: string;
  readonly model?: string | undefined;
  readonly status?: number | undefined;
  readonly refusal?: string | undefined;
  readonly durationMs?: number;
  readonly authorizations: readonly { readonly decision: string; readonly policy: object }[];
  readonly tokens?: { readonly input: number; readonly output: number } | undefined;
}

export function apiActivity(event: ApiEvent): ApiActivity {
  const { status, refusal, model, tokens } = event;
  const failed = refusal !== undefined || (status !== undefined && status >= 400);
  return {
    ...common(event, 'API Activity', 6003, 6, ACTIVITY[event.activity]),
    class_uid: 6003,
    ...(status !== undefined && { status_id: failed ? 2 : 1, status_code: String(status) }),
    ...(refusal !== undefined && { status_detail: refusal }),
    ...(event.durationMs !== undefined && { duration: Math.round(event.durationMs) }),
    actor: actorObject(event.actor),
    api: {
      operation: event.operation,
      service: { name: event.service },
      request: { uid: event.requestId },
      ...(status !== undefined && {
        response: { code: status, ...(refusal !== undefined && { error: refusal }) },
      }),
    },
    src_endpoint: event.clientAddress === '' ? { type: 'Unknown', type_id: 0 } : { ip: event.clientAddress },
    ...(model !== undefined && { ai_model: { name: boundedText(model), ai_provider: event.service } }),
    ...(tokens !== undefined && {
      message_context: {
        service: { name: event.service },
        prompt_tokens: tokens.input,
        completion_tokens: tokens.output,
        total_tokens: tokens.input + tokens.output,
      },
    }),
    ...(event.authorizations.length > 0 && { authorizations: event.authorizations }),
  };
}

export interface DetectionEvent extends Event {
  readonly detector: string;
  readonly title: string;
  /** Rules and locations, never the matched text. */
  readonly evidences: readonly Evidence[];
  readonly owasp: readonly string[];
}

export interface Evidence {
  readonly rule: string;
  readonly class: string;
  readonly path?: string;
  /** UTF-16 code units, end exclusive. */
  readonly start?: number;
  readonly end?: number;
  /** HMAC of the match. */
  readonly digest?: string;
  /** Location in the request, such as a message. */
  readonly place?: string;
  readonly role?: string;
  readonly kind?: string;
  readonly score?: number;
  readonly version?: string;
}

export function detectionFinding(event: DetectionEvent): DetectionFinding {
  return {
    ...common(event, 'Detection Finding', 2004, 2, ACTIVITY.create),
    class_uid: 2004,
    ...{ status_id: 1, status: 'New', is_alert: event.disposition !== 'detected' },
    ...{ actor: actorObject(event.actor) },
    finding_info: {
      // The same for both reports of a finding: when found, and with the action taken.
      uid: `${event.requestId}:${event.detector}`,
      title: event.title,
      desc: event.message,
      ...(event.owasp.length > 0 && { types: event.owasp }),
      analytic: { name: event.detector, type: 'Rule', type_id: 1 },
    },
    ...(event.evidences.length > 0 && {
      evidences: event.evidences.map(({ rule, ...data }) => {
        const owasp = owaspIds({ classes: [data.class] });
        return { name: rule, data: { ...data, ...(owasp.length > 0 && { owasp }) } };
      }),
    }),
  };
}

function common(
  event: Event,
  className: string,
  classUid: number,
  categoryUid: number,
  [activityId, activityName]: readonly [number, string],
): Common {
  const [severityId, severity] = SEVERITY[event.severity];
  const [dispositionId, disposition] = DISPOSITION[event.disposition];
  const isDenied = event.disposition === 'blocked' || event.disposition === 'quarantined';
  return {
    category_uid: categoryUid,
    class_name: className,
    activity_id: activityId,
    activity_name: activityName,
    type_uid: classUid * 100 + activityId,
    time: Date.now(),
    severity_id: severityId,
    severity,
    message: boundedText(event.message),
    metadata: {
      version: VERSION,
      product: PRODUCT,
      profiles: PROFILES,
      uid: randomUUID(),
      correlation_uid: event.requestId,
    },
    action_id: isDenied ? 2 : 1,
    disposition_id: dispositionId,
    disposition,
    ...(event.resources.length > 0 && {
      resources: event.resources.map(({ type, name }) => ({ type, name: boundedText(name) })),
    }),
    unmapped: event.unmapped,
  };
}

function actorObject({ uid, name, agentName, owner, sessionId }: Actor): object {
  return {
    user: {
      ...(uid === undefined ? { type: 'Unknown', type_id: 0 } : { uid }),
      ...(name !== undefined && { name }),
    },
    ...(agentName !== undefined && { app_name: agentName }),
    ...(owner !== undefined && { invoked_by: owner }),
    ...(sessionId !== undefined && { session: { uid: sessionId } }),
  };
}

export function boundedText(text: string): string {
  return text.length <= MAX_TEXT_CHARS ? text : `${text.slice(0, MAX_TEXT_CHARS)}…`;
}
