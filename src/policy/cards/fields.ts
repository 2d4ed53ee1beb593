import { nearestName } from '../../config/nearest-name.ts';
import type { McpRequestInput, PolicyCall } from '../call.ts';

/** What a condition looks at. */
export type Field =
  /** Any text of the call. */
  | { readonly kind: 'prompt' }
  /** What stands at a path below the arguments of an MCP server's call; `*` is any member. */
  | { readonly kind: 'argument'; readonly path: readonly string[] }
  | { readonly kind: 'value'; readonly isList: boolean; readonly read: (call: PolicyCall) => unknown };

type Read = (call: PolicyCall) => unknown;

function ofMcp(read: (request: McpRequestInput) => string | undefined): Read {
  return ({ input: { request } }) => (request.method === 'llm_call' ? undefined : read(request));
}

const VALUES: Readonly<Record<string, Read>> = {
  model: ({ input: { request } }) => (request.method === 'llm_call' ? request.model : undefined),
  provider: ({ input: { request } }) => request.provider,
  path: ({ input: { request } }) => request.path,
  unseen_content: ({ input: { request } }) => request.unseen_content,
  tool_name: ofMcp((request) => (request.method === 'mcp_tool_call' ? request.tool_name : undefined)),
  resource_uri: ofMcp(({ resource_uri: uri }) => uri),
  prompt_name: ofMcp(({ prompt_name: name }) => name),
  mcp_method: ofMcp(({ mcp_method: method }) => method),
  mcp_server: ofMcp(({ mcp_server: server }) => server),
};
const LISTS: Readonly<Record<string, Read>> = {
  session_sequence: ({ input }) => input.session.tools_called,
  'session.tools_called': ({ input }) => input.session.tools_called,
  'session.traces': ({ marks }) => marks,
  'agent_risk.persistent_taint_flags': ({ input }) => input.agent_risk.persistent_taint_flags,
};
const MEMBERS = {
  agent: ['key_hash', 'name', 'agent_name', 'owner', 'provider'],
  session: ['id', 'state', 'spend', 'steps'],
  'session.drift': [
    ...['drift_detected', 'drift_score', 'anchor_similarity', 'prior_similarity'],
    'turn_count',
  ],
  agent_risk: [
    ...['risk_score', 'total_policy_blocks', 'total_escalations', 'total_spend', 'session_count'],
    'quarantine_active',
  ],
  obfuscation: [
    ...['obfuscation_detected', 'has_homoglyphs', 'has_invisible_chars', 'has_base64_payloads'],
    ...['has_encoding_attacks', 'has_delim_padding'],
  ],
} as const;
/** Below these stands any name. */
const OPEN = ['agent.tags', 'session.taint_flags', 'arguments'] as const;

const NAMES: readonly string[] = [
  ...['prompt_text', 'arguments'],
  ...Object.keys(VALUES),
  ...Object.keys(LISTS),
  ...Object.entries(MEMBERS).flatMap(([group, members]) => members.map((member) => `${group}.${member}`)),
];

/** The history by which sequences are judged. */
export const HISTORY_FIELDS: ReadonlySet<string> = new Set(['session_sequence', 'session.tools_called']);
export const TRACE_FIELDS: ReadonlySet<string> = new Set(['session_sequence', 'session.traces']);

/** Fields that are empty unless somebody measures drift. */
export function isOfDrift(name: string): boolean {
  return name.startsWith('session.drift.');
}

/** Fields that say what was hidden in a prompt. */
export function isOfObfuscation(name: string): boolean {
  return name.startsWith('obfuscation.');
}

/** Fields that all sessions of an agent have in common. */
export function isOfRisk(name: string): boolean {
  return name.startsWith('agent_risk.');
}

/**
 * @param initialState of a session that no policy has moved
 * @throws Error that says what is wrong with the name
 */
export function fieldOf(name: string, initialState: string): Field {
  if (name === 'prompt_text') return { kind: 'prompt' };
  if (name === 'arguments') return { kind: 'argument', path: [] };
  if (name.startsWith('arguments.')) return { kind: 'argument', path: fieldPath(name, 'arguments.') };
  const list = LISTS[name];
  if (list !== undefined) return { kind: 'value', isList: true, read: list };
  return { kind: 'value', isList: false, read: fieldReader(name, initialState) };
}

function fieldReader(name: string, initialState: string): Read {
  const value = VALUES[name];
  if (value !== undefined) return value;
  if (name === 'session.state') return ({ input }) => input.session.state || initialState;
  const dot = name.lastIndexOf('.');
  const [group, member] = [name.slice(0, dot), name.slice(dot + 1)];
  const known: Readonly<Record<string, readonly string[]>> = MEMBERS;
  if (known[group]?.includes(member) === true) return memberReader(group, member);
  for (const prefix of OPEN) {
    if (prefix !== 'arguments' && name.startsWith(`${prefix}.`)) {
      const key = name.slice(prefix.length + 1);
      return (call) =>
        own(prefix === 'agent.tags' ? call.input.agent.tags : call.input.session.taint_flags, key);
    }
  }
  const near = nearestName(name, NAMES);
  throw new Error(
    `is no field${near === undefined ? `: they are ${NAMES.join(', ')}` : `; did you mean ${near}?`}`,
  );
}

function memberReader(group: string, member: string): Read {
  return (call) => {
    if (group === 'obfuscation') return own(call.action().obfuscation, member);
    if (group === 'session.drift') return own(call.input.session.drift, member);
    return own(call.input[group as 'agent' | 'session' | 'agent_risk'], member);
  };
}

function fieldPath(name: string, prefix: string): readonly string[] {
  const path = name.slice(prefix.length).split('.');
  if (path.includes('')) throw new Error('has an empty step in its path');
  return path;
}

/** What stands at a path below the arguments of a call; a list stands for each of its entries. */
export function argumentsAt(call: PolicyCall, path: readonly string[]): readonly unknown[] {
  const { request } = call.input;
  if (request.method === 'llm_call') return [];
  let found: unknown[] = [request.arguments];
  for (const step of path) found = found.flatMap((value) => membersAt(value, step));
  return found.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value]));
}

function membersAt(value: unknown, step: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (step === '*') return Object.values(value);
  return Object.hasOwn(value, step) ? [(value as Record<string, unknown>)[step]] : [];
}

function own(record: object, name: string): unknown {
  return Object.hasOwn(record, name) ? (record as Record<string, unknown>)[name] : undefined;
}
