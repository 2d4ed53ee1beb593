import { tracedStep, type TracedStep } from '../step.ts';
import { argumentsOf, stringIn, type TraceFields } from './fields.ts';
import { isObject } from '../../json/is-object.ts';

export interface FunctionCall {
  readonly id: string | undefined;
  readonly tool: string;
  readonly arguments: unknown;
}

export interface FunctionResult {
  readonly id: string | undefined;
  readonly tool: string;
  readonly result: unknown;
  readonly isError: boolean;
}

/** Supports OpenAI's `tool_calls` and `function_call`, and content blocks of Anthropic and Bedrock. */
export function callsIn(message: TraceFields): readonly FunctionCall[] {
  const { tool_calls, function_call, content } = message;
  const called = Array.isArray(tool_calls) ? tool_calls : [];
  const old = isObject(function_call) ? [{ function: function_call }] : [];
  return [...called, ...old, ...(Array.isArray(content) ? content : [])].flatMap(callsInPart);
}

function callsInPart(part: unknown): FunctionCall[] {
  if (!isObject(part)) return [];
  const { type, function: named, toolUse } = part;
  if (isObject(named)) return namedCall(stringIn(part, ['id']), named, named['arguments']);
  if (type === 'tool_use') return namedCall(stringIn(part, ['id']), part, part['input']);
  return isObject(toolUse) ? namedCall(stringIn(toolUse, ['toolUseId']), toolUse, toolUse['input']) : [];
}

function namedCall(id: string | undefined, named: TraceFields, written: unknown): FunctionCall[] {
  const tool = stringIn(named, ['name']);
  return tool === undefined ? [] : [{ id, tool, arguments: argumentsOf(written) }];
}

export function resultsIn(message: TraceFields): readonly FunctionResult[] {
  const { role, content } = message;
  if (role === 'tool' || role === 'function') {
    const id = stringIn(message, ['tool_call_id', 'id']);
    return [{ id, tool: stringIn(message, ['name']) ?? '', result: content ?? '', isError: false }];
  }
  return (Array.isArray(content) ? content : []).flatMap(resultOf);
}

function resultOf(part: unknown): FunctionResult[] {
  if (!isObject(part)) return [];
  const { type, content, is_error, toolResult } = part;
  if (type === 'tool_result') {
    const id = stringIn(part, ['tool_use_id']);
    return [{ id, tool: '', result: content ?? '', isError: is_error === true }];
  }
  if (!isObject(toolResult)) return [];
  const id = stringIn(toolResult, ['toolUseId']);
  return [{ id, tool: '', result: toolResult['content'] ?? '', isError: toolResult['status'] === 'error' }];
}

type StepSource = Pick<TracedStep, 'sessionId' | 'agent' | 'at'>;

export function modelStep(
  type: 'llm_call' | 'llm_response',
  content: unknown,
  source: StepSource & Pick<TracedStep, 'provider' | 'model'>,
): TracedStep {
  const { sessionId, agent, at, provider, model } = source;
  return tracedStep({ type, sessionId, agent, at, provider, model, content });
}

export function callStep(call: FunctionCall, { sessionId, agent, at }: StepSource): TracedStep {
  const { id: callId, tool, arguments: written } = call;
  return tracedStep({ type: 'mcp_tool_call', sessionId, agent, at, callId, tool, arguments: written });
}

export function resultStep(result: FunctionResult, source: StepSource): TracedStep {
  const step = callStep({ id: result.id, tool: result.tool, arguments: undefined }, source);
  return { ...step, type: 'mcp_tool_response', result: result.result, isError: result.isError };
}
