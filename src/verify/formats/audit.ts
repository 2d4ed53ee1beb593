import { tracedStep, type Context, type Read, type StepAgent, type TracedStep } from '../step.ts';
import { agentOf, stringIn, timeOf, type TraceFields } from './fields.ts';
import { isObject } from '../../json/is-object.ts';

export function isLogLine(fields: TraceFields): boolean {
  if (fields['channel'] === 'audit') return true;
  return (
    Object.hasOwn(fields, 'request_id') && Object.hasOwn(fields, 'level') && Object.hasOwn(fields, 'msg')
  );
}

/** Log lines contain neither prompts nor arguments, so only the fact of a tool call can be judged. */
export function readLogLine(line: TraceFields, context: Context): Read {
  const tool = stringIn(line, ['tool']);
  if (line['audit'] !== 'tool_response_inspected' || tool === undefined) {
    return { kind: 'skipped', why: 'log lines, which contain neither prompts nor arguments' };
  }
  const call = {
    sessionId: stringIn(line, ['session_id']) ?? '',
    at: timeOf(stringIn(line, ['time']) ?? ''),
    callId: stringIn(line, ['request_id']),
    server: stringIn(line, ['server']) ?? '',
    tool,
  };
  return toolCalled(call, agentOfKey(context, stringIn(line, ['key_hash'])));
}

export function isAuditRecord(fields: TraceFields): boolean {
  return typeof fields['class_uid'] === 'number' && isObject(fields['metadata']);
}

/** Reads an audit record. Only completed tool calls can be judged. */
export function readAuditRecord(record: TraceFields, context: Context): Read {
  const resources = Array.isArray(record['resources']) ? record['resources'].filter(isObject) : [];
  const named = (type: string): string | undefined =>
    resources
      .map((resource) => (resource['type'] === type ? stringIn(resource, ['name']) : undefined))
      .find((name) => name !== undefined);
  const tool = named('mcp_tool');
  const isOver = stringIn(objectAt(record, 'unmapped'), ['stage']) === 'finished';
  if (record['class_uid'] !== 6003 || !isOver || record['action_id'] !== 1 || tool === undefined) {
    return { kind: 'skipped', why: 'audit records, which contain neither prompts nor arguments' };
  }
  const actor = objectAt(record, 'actor');
  const user = objectAt(actor, 'user');
  const { time } = record;
  const call = {
    sessionId: stringIn(objectAt(actor, 'session'), ['uid']) ?? '',
    at: typeof time === 'number' ? time : undefined,
    callId: stringIn(objectAt(record, 'metadata'), ['correlation_uid']),
    server: named('mcp_server') ?? '',
    tool,
  };
  return toolCalled(call, agentOfKey(context, stringIn(user, ['uid']), stringIn(user, ['name'])));
}

type ToolCall = Pick<TracedStep, 'sessionId' | 'at' | 'callId' | 'server' | 'tool'>;

function toolCalled(call: ToolCall, agent: StepAgent): Read {
  return { kind: 'steps', steps: [tracedStep({ ...call, type: 'mcp_tool_call', agent })] };
}

function agentOfKey(context: Context, keyHash: string | undefined, name = keyHash): StepAgent {
  return keyHash === undefined ? context.agent : agentOf({ key_hash: keyHash, name });
}

function objectAt(fields: TraceFields, name: string): TraceFields {
  const value = fields[name];
  return isObject(value) ? value : {};
}
