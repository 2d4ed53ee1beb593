import type { McpMessage } from './message.ts';

/** Requests of clients in every revision. */
const SHARED = [
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'tasks/get',
  'tasks/cancel',
  'ping',
];
/** Requests up to 2025-11-25, within a session. */
const SESSION_REQUESTS: ReadonlySet<string> = new Set([
  ...SHARED,
  'initialize',
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
  'tasks/list',
  'tasks/result',
]);
/** Requests from 2026-07-28 on, without a session. */
const STATELESS_REQUESTS: ReadonlySet<string> = new Set([
  ...SHARED,
  'server/discover',
  'subscriptions/listen',
  'tasks/update',
]);
const NOTIFICATIONS: ReadonlySet<string> = new Set([
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
  'notifications/tasks/status',
]);

/** Whether a revision has this method, as clients send it. */
export function isKnownMethod(message: McpMessage, isStateless: boolean): boolean {
  if (message.kind === 'response') return true;
  if (message.kind === 'notification') return NOTIFICATIONS.has(message.method);
  return (isStateless ? STATELESS_REQUESTS : SESSION_REQUESTS).has(message.method);
}

function folded(method: string): string {
  return method
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
}

const KNOWN_BY_LETTERS: ReadonlyMap<string, string> = new Map(
  [...SESSION_REQUESTS, ...STATELESS_REQUESTS, ...NOTIFICATIONS].map((method) => [folded(method), method]),
);

/**
 * Returns the method that this one is another spelling of (`Tools/Call`, `tools//call`), or undefined. A careless server
 * may take it for that method, and nobody has judged it as such.
 */
export function misspeltMethod(method: string): string | undefined {
  const meant = KNOWN_BY_LETTERS.get(folded(method));
  return meant === method ? undefined : meant;
}

/** Calls of MCP servers that policies judge, by their method. */
const POLICY_CALLS = {
  'tools/call': 'mcp_tool_call',
  'resources/read': 'mcp_resource_read',
  'resources/subscribe': 'mcp_resource_subscribe',
  'resources/unsubscribe': 'mcp_resource_subscribe',
  'subscriptions/listen': 'mcp_resource_subscribe',
  'prompts/get': 'mcp_prompt_get',
  'completion/complete': 'mcp_completion',
} as const satisfies Readonly<Record<string, McpCallType>>;
/** A method of no revision that `mcp.unknown_methods: allow` lets pass. */
const OTHER_CALL = 'mcp_other';

export const MCP_CALL_TYPES = [
  'mcp_tool_call',
  'mcp_resource_read',
  'mcp_resource_subscribe',
  'mcp_prompt_get',
  'mcp_completion',
  OTHER_CALL,
] as const;
export type McpCallType = (typeof MCP_CALL_TYPES)[number];

/** Returns what a message is for policies; undefined where it names no tool, resource, prompt or argument. */
export function mcpCallType(message: McpMessage | undefined): McpCallType | undefined {
  if (message === undefined || message.kind === 'response') return undefined;
  const { method } = message;
  if (Object.hasOwn(POLICY_CALLS, method)) return POLICY_CALLS[method as keyof typeof POLICY_CALLS];
  return isKnownMethod(message, true) || isKnownMethod(message, false) ? undefined : OTHER_CALL;
}
