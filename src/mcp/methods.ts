import { isObject, type JsonObject } from '../json/is-object.ts';
import type { McpMessage } from './message.ts';

/** MCP protocol eras: up to 2025-11-25, and from 2026-07-28. */
export type McpEra = 'sessions' | 'stateless';

/** Call types, as named in policies (`request.method`). */
export const MCP_CALL_TYPES = [
  'mcp_tool_call',
  'mcp_resource_read',
  'mcp_resource_subscribe',
  'mcp_prompt_get',
  'mcp_completion',
  'mcp_task',
  /** A client's response to a server. Contains model or user text. */
  'mcp_client_response',
  /** An unknown method, or a method without a target that has unknown members. */
  'mcp_other',
] as const;
export type McpCallType = (typeof MCP_CALL_TYPES)[number];

interface Method {
  readonly eras: readonly McpEra[];
  readonly kind: 'request' | 'notification';
  /**
   * Absent if the method has no target to judge. If its `params` then contain anything but `members` and `_meta`, the
   * message is judged as `mcp_other`.
   */
  readonly type?: McpCallType;
  readonly members?: readonly string[];
}

const BOTH = ['sessions', 'stateless'] as const;
const OLD = ['sessions'] as const;
const NEW = ['stateless'] as const;

const plain = (eras: readonly McpEra[], ...members: string[]): Method => ({ kind: 'request', eras, members });
const notice = (eras: readonly McpEra[], ...members: string[]): Method => ({
  kind: 'notification',
  eras,
  members,
});
const call = (eras: readonly McpEra[], type: McpCallType): Method => ({ kind: 'request', eras, type });

/** All methods that clients may send: those of MCP, and those of the official SDK's Skills extension. */
const METHODS: ReadonlyMap<string, Method> = new Map([
  ['initialize', plain(OLD, 'protocolVersion', 'capabilities', 'clientInfo')],
  ['ping', plain(OLD)],
  ['server/discover', plain(NEW)],
  ['logging/setLevel', plain(OLD, 'level')],
  ['tools/list', plain(BOTH, 'cursor')],
  ['tools/call', call(BOTH, 'mcp_tool_call')],
  ['resources/list', plain(BOTH, 'cursor')],
  ['resources/templates/list', plain(BOTH, 'cursor')],
  ['resources/read', call(BOTH, 'mcp_resource_read')],
  ['resources/directory/read', call(BOTH, 'mcp_resource_read')],
  ['resources/subscribe', call(OLD, 'mcp_resource_subscribe')],
  ['resources/unsubscribe', call(OLD, 'mcp_resource_subscribe')],
  ['subscriptions/listen', call(NEW, 'mcp_resource_subscribe')],
  ['prompts/list', plain(BOTH, 'cursor')],
  ['prompts/get', call(BOTH, 'mcp_prompt_get')],
  ['completion/complete', call(BOTH, 'mcp_completion')],
  ['skills/list', plain(BOTH, 'cursor')],
  ['skills/get', call(BOTH, 'mcp_resource_read')],
  ['tasks/list', plain(OLD, 'cursor')],
  ['tasks/get', call(BOTH, 'mcp_task')],
  ['tasks/result', call(OLD, 'mcp_task')],
  ['tasks/update', call(NEW, 'mcp_task')],
  ['tasks/cancel', call(BOTH, 'mcp_task')],
  ['notifications/initialized', notice(OLD)],
  ['notifications/cancelled', notice(BOTH, 'requestId', 'reason')],
  ['notifications/progress', notice(BOTH, 'progressToken', 'progress', 'total', 'message')],
  ['notifications/roots/list_changed', notice(OLD)],
  [
    'notifications/tasks/status',
    notice(
      OLD,
      ...['taskId', 'status', 'statusMessage', 'createdAt', 'lastUpdatedAt', 'ttl', 'pollInterval'],
    ),
  ],
]);

/** Members of a stateless subscription that refer to no resource. */
const LIST_CHANGES: ReadonlySet<string> = new Set([
  'toolsListChanged',
  'promptsListChanged',
  'resourcesListChanged',
]);

export type MethodProblem =
  /** Not an MCP method, or not part of this era. */
  | 'unknown'
  /**
   * A known method of the wrong kind (request or notification), or another spelling of one, which lenient servers may
   * accept.
   */
  | 'disguised';

/** Returns undefined for valid methods and for responses. */
export function methodProblem(message: McpMessage, era: McpEra): MethodProblem | undefined {
  if (message.kind === 'response') return undefined;
  const method = METHODS.get(message.method);
  if (method === undefined) return SPELLINGS.has(spellingOf(message.method)) ? 'disguised' : 'unknown';
  if (method.kind !== message.kind) return 'disguised';
  return method.eras.includes(era) ? undefined : 'unknown';
}

/** Ignores letter case and punctuation, which lenient servers may trim or fold. */
function spellingOf(method: string): string {
  return method.toLowerCase().replace(/[^a-z0-9]/g, '');
}

const SPELLINGS: ReadonlySet<string> = new Set([...METHODS.keys()].map(spellingOf));

/** Returns the call type for policies, or undefined if the message has neither a target nor client content. */
export function callTypeOf(message: McpMessage | undefined, params: JsonObject): McpCallType | undefined {
  if (message === undefined) return undefined;
  if (message.kind === 'response') return 'mcp_client_response';
  const method = METHODS.get(message.method);
  if (method?.kind !== message.kind) return 'mcp_other';
  if (message.method === 'subscriptions/listen' && refersToNoResource(params)) return undefined;
  if (method.type !== undefined) return method.type;
  const isPlain = Object.keys(params).every(
    (name) => name === '_meta' || method.members?.includes(name) === true,
  );
  return isPlain ? undefined : 'mcp_other';
}

export function isCallMethod(method: string): boolean {
  return METHODS.get(method)?.type !== undefined;
}

function refersToNoResource({ notifications, ...others }: JsonObject): boolean {
  if (Object.keys(others).some((name) => name !== '_meta')) return false;
  if (notifications === undefined) return true;
  return isObject(notifications) && Object.keys(notifications).every((name) => LIST_CHANGES.has(name));
}
