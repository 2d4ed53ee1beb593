import { isCallMethod } from '../../mcp/methods.ts';
import { tracedStep, unreadableStep, type Context, type Read, type TracedStep } from '../step.ts';
import { stringIn, type TraceFields } from './fields.ts';
import { isObject } from '../../json/is-object.ts';

export function isJsonRpc(fields: TraceFields): boolean {
  return Object.hasOwn(fields, 'jsonrpc');
}

export function readJsonRpc(message: TraceFields, context: Context): Read {
  const { method, params, result, error } = message;
  const callId = stringIn(message, ['id']);
  if (method === 'tools/call') {
    const tool = isObject(params) ? stringIn(params, ['name']) : undefined;
    if (tool === undefined) return unreadableStep('a tools/call needs params.name');
    const written = isObject(params) ? params['arguments'] : undefined;
    return steps({ type: 'mcp_tool_call', tool, arguments: written, callId }, context);
  }
  if (typeof method === 'string' && isCallMethod(method)) {
    const message = { method, params: isObject(params) ? params : {} };
    return steps({ type: 'mcp_tool_call', message, callId }, context);
  }
  if (method !== undefined)
    return { kind: 'skipped', why: 'MCP messages that refer to no tool, resource or prompt' };
  if (result === undefined && error === undefined) return unreadableStep('a response needs result or error');
  const isError = result === undefined;
  return steps({ type: 'mcp_tool_response', result: result ?? error, isError, callId }, context);
}

function steps(step: Partial<TracedStep> & Pick<TracedStep, 'type'>, { sessionId, agent }: Context): Read {
  return { kind: 'steps', steps: [tracedStep({ sessionId, agent, ...step })] };
}
