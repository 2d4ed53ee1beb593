import type { RefusalFinding } from '../where-found.ts';
import type { Activity, Actor, Resource } from './ocsf.ts';

/** The recorded part of an exchange. The narrow type keeps everything else out of records. */
export interface AuditedExchange {
  readonly requestId: string;
  readonly method: string;
  readonly clientAddress: string;
  readonly key: {
    readonly keyHash: string;
    readonly name: string;
    readonly agentName?: string;
    readonly owner?: string;
  };
  /** The same object at every stage of an exchange. */
  readonly facts: { readonly session: { readonly id: string } | null | undefined };
  readonly provider?: { readonly name: string };
  readonly endpoint?: { readonly operation: string };
  readonly mcp?: { readonly server: string };
  /** The name in `models` that the client used. */
  readonly alias?: string;
  readonly request?: {
    readonly model: string | undefined;
    readonly mcp?: { readonly kind: string; readonly method?: string; readonly name?: string };
  };
}

export interface AuditedFinish {
  readonly requestId: string;
  readonly clientAddress: string;
  readonly exchange: AuditedExchange | undefined;
  readonly refusal:
    | {
        readonly type: string;
        readonly message: string;
        readonly findings?: readonly RefusalFinding[] | undefined;
        readonly key?: { readonly keyHash: string; readonly name: string } | undefined;
      }
    | undefined;
  readonly status: number;
  readonly outcome: { readonly kind: string };
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
  readonly durationMs: number;
  readonly isLogged: boolean;
  readonly traceId?: string | undefined;
}

/** `text` is digested, never stored. */
export interface MatchedText {
  readonly finding: {
    readonly rule: string;
    readonly class: string;
    readonly start: number;
    readonly end: number;
  };
  readonly text: string;
  readonly where?: Pick<RefusalFinding, 'place' | 'role' | 'kind'>;
}

export interface PolicyRecord {
  readonly policySet: string;
  readonly verdict: string;
  readonly rules: readonly object[];
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

/** Masks and truncates a text from clients or rules. */
export type SafeText = (text: string) => string;

export function resourcesOf({ key, mcp, request }: AuditedExchange, safe: SafeText): Resource[] {
  const named = request?.mcp?.name;
  const type = MCP_RESOURCES.get(request?.mcp?.method ?? '');
  return [
    { type: 'proxy_key', name: key.name },
    ...(mcp === undefined ? [] : [{ type: 'mcp_server' as const, name: mcp.server }]),
    ...(named === undefined || type === undefined ? [] : [{ type, name: safe(named) }]),
  ];
}

export function apiOf(exchange: AuditedExchange, safe: SafeText) {
  const { requestId, clientAddress, method, mcp, provider, request, endpoint } = exchange;
  const mcpMethod = request?.mcp?.method;
  return {
    requestId,
    clientAddress,
    actor: auditedActor(exchange, safe),
    resources: resourcesOf(exchange, safe),
    activity: activityOf(method),
    operation: mcpMethod === undefined ? (endpoint?.operation ?? 'none') : safe(mcpMethod),
    service: mcp === undefined ? (provider?.name ?? 'none') : `mcp:${mcp.server}`,
    model: request?.model === undefined ? undefined : safe(request.model),
  };
}

export function auditedActor({ key, facts }: AuditedExchange, safe: SafeText): Actor {
  return {
    uid: key.keyHash,
    name: key.name,
    agentName: key.agentName,
    owner: key.owner,
    sessionId: facts.session == null ? undefined : safe(facts.session.id),
  };
}

type Sender = Pick<AuditedFinish, 'requestId' | 'clientAddress'>;

/** @param key known if the request was refused because its key is locked or blocked */
export function unadmittedApi(
  finish: Sender,
  key: { readonly keyHash: string; readonly name: string } | undefined,
) {
  const api = anonymousApi(finish);
  if (key === undefined) return api;
  const resources: readonly Resource[] = [{ type: 'proxy_key', name: key.name }];
  return { ...api, actor: { uid: key.keyHash, name: key.name }, resources };
}

export function anonymousApi({ requestId, clientAddress }: Sender) {
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
