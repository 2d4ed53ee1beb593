import { nearestName } from '../../config/nearest-name.ts';
import type { PolicyCall } from '../call.ts';
import { FIELD_GROUPS, type FieldRow } from '../input-fields.ts';

export type Field =
  | { readonly kind: 'prompt' }
  /** Path below an MCP call's arguments; `*` matches any member. */
  | { readonly kind: 'argument'; readonly path: readonly string[] }
  | { readonly kind: 'value'; readonly isList: boolean; readonly read: (call: PolicyCall) => unknown };

type Read = (call: PolicyCall) => unknown;

/** Fields that are not members of `input`. */
const LISTS: Readonly<Record<string, Read>> = {
  session_sequence: ({ input }) => input.session.tools_called,
  'session.traces': ({ marks }) => marks,
};

/** Members of `input` by card field name, except `arguments`, which has paths. */
const MEMBERS: ReadonlyMap<string, { readonly form: FieldRow['form']; readonly read: Read }> = new Map(
  FIELD_GROUPS.flatMap(({ path, rows, cards }) =>
    Object.entries(rows).flatMap(([member, { form, notInCards }]) => {
      if (cards === undefined || notInCards === true || form === 'document') return [];
      return [[cards + member, { form, read: (call) => own(groupIn(call, path), member) }] as const];
    }),
  ),
);

/** Returns undefined for calls other than tool calls, which have an empty tool name. */
const readToolName: Read = ({ input: { request } }) =>
  request.method === 'mcp_tool_call' ? request.tool_name : undefined;

const NAMES: readonly string[] = [
  ...['prompt_text', 'arguments'],
  ...[...MEMBERS].filter(([, { form }]) => form !== 'map').map(([name]) => name),
  ...Object.keys(LISTS),
];

/** Builds `action` only on demand. */
function groupIn(call: PolicyCall, path: string): object {
  const { request, agent, session, agent_risk } = call.input;
  switch (path) {
    case 'request':
      return request;
    case 'agent':
      return agent;
    case 'session':
      return session;
    case 'session.drift':
      return session.drift;
    case 'agent_risk':
      return agent_risk;
    case 'action.obfuscation':
      return call.action().obfuscation;
    default:
      throw new Error(`cards cannot read input.${path}`);
  }
}

export const HISTORY_FIELDS: ReadonlySet<string> = new Set(['session_sequence', 'session.tools_called']);
export const TRACE_FIELDS: ReadonlySet<string> = new Set(['session_sequence', 'session.traces']);

/** Drift fields are set only if drift is measured. */
export function isDriftField(name: string): boolean {
  return name.startsWith('session.drift.');
}

export function isObfuscationField(name: string): boolean {
  return name.startsWith('obfuscation.');
}

/** Risk fields are shared by an agent's sessions. */
export function isRiskField(name: string): boolean {
  return name.startsWith('agent_risk.');
}

/**
 * @param initialState state of sessions without a transition
 * @throws Error with the problem
 */
export function fieldOf(name: string, initialState: string): Field {
  if (name === 'prompt_text') return { kind: 'prompt' };
  if (name === 'arguments') return { kind: 'argument', path: [] };
  if (name.startsWith('arguments.')) return { kind: 'argument', path: fieldPath(name, 'arguments.') };
  const list = LISTS[name];
  if (list !== undefined) return { kind: 'value', isList: true, read: list };
  const member = MEMBERS.get(name);
  if (member?.form === 'list') return { kind: 'value', isList: true, read: member.read };
  return { kind: 'value', isList: false, read: valueReader(name, initialState) };
}

function valueReader(name: string, initialState: string): Read {
  if (name === 'session.state') return ({ input }) => input.session.state || initialState;
  if (name === 'tool_name') return readToolName;
  const member = MEMBERS.get(name);
  if (member?.form === 'value') return member.read;
  for (const [map, { form, read }] of MEMBERS) {
    if (form !== 'map' || !name.startsWith(`${map}.`)) continue;
    const key = name.slice(map.length + 1);
    return (call) => own(read(call) as object, key);
  }
  const near = nearestName(name, NAMES);
  throw new Error(
    `is not a field${near === undefined ? `; the fields are ${NAMES.join(', ')}` : `; did you mean ${near}?`}`,
  );
}

function fieldPath(name: string, prefix: string): readonly string[] {
  const path = name.slice(prefix.length).split('.');
  if (path.includes('')) throw new Error('has an empty step in its path');
  return path;
}

/** Returns the values at a path below a call's arguments; for an array, its elements. */
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
