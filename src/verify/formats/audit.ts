import { tracedStep, type Context, type Read, type TracedStep } from '../step.ts';
import { agentOf, stringIn, timeOf, type TraceFields } from './fields.ts';
import { isObject } from '../../json/is-object.ts';

export function isLogLine(fields: TraceFields): boolean {
  if (fields['channel'] === 'audit') return true;
  return (
    Object.hasOwn(fields, 'request_id') && Object.hasOwn(fields, 'level') && Object.hasOwn(fields, 'msg')
  );
}

/** Reads a line of the gateway's log. It has no prompts and arguments: only the fact of a tool call can be judged. */
export function readLogLine(line: TraceFields, context: Context): Read {
  const tool = stringIn(line, ['tool']);
  if (line['audit'] !== 'tool_response_inspected' || tool === undefined) {
    return { kind: 'skipped', why: 'log lines, which contain no prompt and no arguments' };
  }
  const keyHash = stringIn(line, ['key_hash']);
  return toolCalled(context, {
    sessionId: stringIn(line, ['session_id']) ?? '',
    keyHash,
    name: keyHash,
    at: timeOf(stringIn(line, ['time']) ?? ''),
    requestId: stringIn(line, ['request_id']),
    server: stringIn(line, ['server']) ?? '',
    tool,
  });
}

/** Recognizes records of the audit trail (docs/audit.md). */
export function isAuditRecord(fields: TraceFields): boolean {
  return typeof fields['class_uid'] === 'number' && isObject(fields['metadata']);
}

/** Reads a record of the audit trail. Only completed tool calls can be judged. */
export function readAuditRecord(record: TraceFields, context: Context): Read {
  const resources = Array.isArray(record['resources']) ? record['resources'].filter(isObject) : [];
  const named = (type: string): string | undefined =>
    resources
      .map((resource) => (resource['type'] === type ? stringIn(resource, ['name']) : undefined))
      .find((name) => name !== undefined);
  const tool = named('mcp_tool');
  const isOver = stringIn(objectAt(record, 'unmapped'), ['stage']) === 'finished';
  if (record['class_uid'] !== 6003 || !isOver || record['action_id'] !== 1 || tool === undefined) {
    return { kind: 'skipped', why: 'records of the audit trail, which contain no prompt and no arguments' };
  }
  const actor = objectAt(record, 'actor');
  const user = objectAt(actor, 'user');
  const { time } = record;
  return toolCalled(context, {
    sessionId: stringIn(objectAt(actor, 'session'), ['uid']) ?? '',
    keyHash: stringIn(user, ['uid']),
    name: stringIn(user, ['name']),
    at: typeof time === 'number' ? time : undefined,
    requestId: stringIn(objectAt(record, 'metadata'), ['correlation_uid']),
    server: named('mcp_server') ?? '',
    tool,
  });
}

interface ToolCall {
  readonly sessionId: string;
  readonly keyHash: string | undefined;
  readonly name: string | undefined;
  readonly at: TracedStep['at'];
  readonly requestId: string | undefined;
  readonly server: string;
  readonly tool: string;
}

function toolCalled(context: Context, { keyHash, name, requestId, ...call }: ToolCall): Read {
  const step = tracedStep({
    ...call,
    type: 'mcp_tool_call',
    agent: keyHash === undefined ? context.agent : agentOf({ key_hash: keyHash, name: name ?? keyHash }),
    callId: requestId,
  });
  return { kind: 'steps', steps: [step] };
}

function objectAt(fields: TraceFields, name: string): TraceFields {
  const value = fields[name];
  return isObject(value) ? value : {};
}
