import {
  traceAgentSchema,
  isPlainStep,
  problemOf,
  traceStepSchema,
  TYPE_PROBLEM,
  type StepFields,
} from '../schema.ts';
import {
  tracedStep,
  unreadableStep,
  type Context,
  type Read,
  type StepType,
  type TracedStep,
} from '../step.ts';
import {
  agentOf,
  argumentsOf,
  firstOf,
  providerNamed,
  providerOfModel,
  sessionIdOf,
  timeOf,
  type TraceFields,
  stringIn,
} from './fields.ts';
import { isObject } from '../../json/is-object.ts';

type Names = Readonly<Record<string, readonly string[]>>;

const ANY_STEP: Names = {
  timestamp: ['timestamp', 'time', 'ts', 'created_at', 'start_time'],
  session_id: ['session_id', 'sessionId', 'session', 'conversation_id', 'thread_id'],
  call_id: ['call_id', 'callId', 'tool_call_id', 'tool_use_id'],
  provider: ['provider'],
  model: ['model', 'model_name'],
  is_error: ['is_error', 'isError'],
};
const MODEL_STEP: Names = {
  ...ANY_STEP,
  content: ['content', 'prompt', 'messages', 'text', 'input', 'body', 'completion', 'output', 'response'],
};
const TOOL_STEP: Names = { ...ANY_STEP, tool_name: ['tool_name', 'tool', 'toolName', 'name'] };
const RESULT = ['result', 'tool_result', 'tool_output', 'output', 'response'] as const;

/** Accepted names of each member by step type, preferred names first. Some names have several meanings. */
const NAMES: Readonly<Record<StepType, Names>> = {
  llm_call: MODEL_STEP,
  llm_response: MODEL_STEP,
  mcp_tool_call: {
    ...TOOL_STEP,
    arguments: ['arguments', 'args', 'tool_args', 'tool_input', 'parameters', 'params', 'input'],
    result: RESULT,
  },
  mcp_tool_response: { ...TOOL_STEP, result: [...RESULT, 'content', 'text'] },
};

const AGENT = ['agent', 'agent_name', 'agent_id'] as const;
const SERVER = ['mcp_server', 'server', 'server_name', 'provider'] as const;

const TYPES: Readonly<Record<string, StepType>> = {
  llm_call: 'llm_call',
  llm_request: 'llm_call',
  prompt: 'llm_call',
  llm: 'llm_call',
  llm_response: 'llm_response',
  completion: 'llm_response',
  mcp_tool_call: 'mcp_tool_call',
  mcp_resource_read: 'mcp_tool_call',
  mcp_resource_subscribe: 'mcp_tool_call',
  mcp_prompt_get: 'mcp_tool_call',
  mcp_completion: 'mcp_tool_call',
  tool_call: 'mcp_tool_call',
  tool_use: 'mcp_tool_call',
  function_call: 'mcp_tool_call',
  mcp_tool_response: 'mcp_tool_response',
  mcp_tool_result: 'mcp_tool_response',
  tool_response: 'mcp_tool_response',
  tool_result: 'mcp_tool_response',
  tool_output: 'mcp_tool_response',
  function_call_output: 'mcp_tool_response',
};

export function isStep(fields: TraceFields): boolean {
  return stepTypeOf(fields) !== undefined;
}

/** Infers a missing type only for tool calls, from the tool name. */
function stepTypeOf(fields: TraceFields): StepType | undefined {
  const written = firstOf(fields, ['type', 'kind', 'event', 'event_type']);
  if (typeof written === 'string') {
    const lower = written.toLowerCase();
    return Object.hasOwn(TYPES, lower) ? TYPES[lower] : undefined;
  }
  if (written !== undefined || Object.hasOwn(fields, 'role')) return undefined;
  return firstOf(fields, ['tool_name', 'tool', 'toolName']) === undefined ? undefined : 'mcp_tool_call';
}

export function readStep(written: TraceFields, context: Context): Read {
  const type = stepTypeOf(written);
  if (type === undefined) return unreadableStep(TYPE_PROBLEM);
  const fields = canonicalStep(written, type);
  const { data, error } = isPlainStep(fields)
    ? { data: fields, error: undefined }
    : traceStepSchema.safeParse(fields);
  if (data === undefined) return unreadableStep(problemOf(error));
  const at = data.timestamp == null ? undefined : timeOf(data.timestamp);
  if (data.timestamp != null && at === undefined) {
    return unreadableStep('timestamp must be an RFC 3339 time, or a Unix time in seconds or milliseconds');
  }
  const named = firstOf(written, AGENT);
  const agent =
    named === undefined ? { data: undefined, error: undefined } : traceAgentSchema.safeParse(named);
  if (agent.error !== undefined) return unreadableStep(problemOf(agent.error));
  const common = {
    type,
    at,
    sessionId: data.session_id == null ? context.sessionId : sessionIdOf(data.session_id),
    agent: agent.data == null ? context.agent : agentOf(agent.data),
    callId: data.call_id == null ? undefined : String(data.call_id),
    isError: data.is_error ?? false,
  };
  return type === 'llm_call' || type === 'llm_response'
    ? readModelStep(data, common, context)
    : readToolStep(written, data, common);
}

type Common = Pick<TracedStep, 'type' | 'at' | 'sessionId' | 'agent' | 'callId' | 'isError'>;

function readModelStep(data: StepFields, common: Common, context: Context): Read {
  const model = data.model ?? context.model;
  const provider =
    data.provider == null ? (context.provider ?? providerOfModel(model)) : providerNamed(data.provider);
  if (provider === undefined) {
    return unreadableStep('unknown provider: set one that the gateway supports, or omit it');
  }
  if (data.content == null) return unreadableStep(`a step of type ${common.type} needs content`);
  const step = tracedStep({ ...common, provider, model, content: data.content });
  return { kind: 'steps', steps: [step] };
}

function readToolStep(written: TraceFields, data: StepFields, common: Common): Read {
  const message = mcpMessageOf(written, data);
  if (typeof message === 'string') return unreadableStep(message);
  const tool = message === undefined ? (data.tool_name ?? '') : '';
  if (message === undefined && tool === '' && common.type === 'mcp_tool_call')
    return unreadableStep('a step of type mcp_tool_call needs tool_name');
  if (data.result == null && common.type === 'mcp_tool_response') {
    return unreadableStep('a step of type mcp_tool_response needs result');
  }
  const server = firstOf(written, SERVER);
  if (server !== undefined && typeof server !== 'string') return unreadableStep('server must be a string');
  const step = tracedStep({
    ...common,
    server: server ?? '',
    tool,
    ...(message !== undefined && { message }),
    arguments: argumentsOf(data.arguments),
    result: data.result ?? undefined,
  });
  return { kind: 'steps', steps: [step] };
}

function canonicalStep(written: TraceFields, type: StepType): TraceFields {
  const step: Record<string, unknown> = { type };
  for (const [name, accepted] of Object.entries(NAMES[type])) {
    const value = firstOf(written, accepted);
    if (value !== undefined) step[name] = value;
  }
  // In other types, a bare `id` may identify the step itself.
  const isNamed = written['type'] === 'tool_use' || written['type'] === 'function_call';
  if (isNamed && step['call_id'] === undefined) {
    const id = firstOf(written, ['id']);
    if (id !== undefined) step['call_id'] = id;
  }
  return step;
}

const RESOURCE_METHODS: ReadonlyMap<unknown, string> = new Map([
  ['mcp_resource_read', 'resources/read'],
  ['mcp_resource_subscribe', 'resources/subscribe'],
]);

/** Returns the message of an MCP step other than a tool call, or the problem with it. */
function mcpMessageOf({ type, ...written }: TraceFields, data: StepFields): TracedStep['message'] | string {
  const method = RESOURCE_METHODS.get(type);
  if (method !== undefined) {
    const uri = stringIn(written, ['uri', 'resource_uri']);
    return uri === undefined ? `a step of type ${String(type)} needs uri` : { method, params: { uri } };
  }
  const args = argumentsOf(data.arguments);
  if (type === 'mcp_prompt_get') {
    const name = stringIn(written, ['prompt_name', 'prompt', 'name']);
    if (name === undefined) return 'a step of type mcp_prompt_get needs prompt_name';
    return { method: 'prompts/get', params: { name, ...(args !== undefined && { arguments: args }) } };
  }
  if (type !== 'mcp_completion') return undefined;
  if (!isObject(args)) return 'a step of type mcp_completion needs arguments: ref, argument, context';
  return { method: 'completion/complete', params: args };
}
