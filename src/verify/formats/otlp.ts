import type { Context, Read, TracedStep, StepAgent } from '../step.ts';
import {
  agentOf,
  argumentsOf,
  providerNamed,
  providerOfModel,
  sessionIdOf,
  stringIn,
  type TraceFields,
} from './fields.ts';
import { isObject } from '../../json/is-object.ts';
import { modelStep } from './messages.ts';
import { attributesOf, answerOf, promptOf } from './otlp-messages.ts';

/** What a resource says of all its spans. */
export interface OtlpResource {
  readonly attributes: TraceFields;
}

const MODEL_OPERATIONS: ReadonlySet<unknown> = new Set([
  'chat',
  'text_completion',
  'generate_content',
  'embeddings',
]);
const OTHER_SPAN = 'spans that are no call of a model or a tool';
const NO_CONTENT =
  'spans of calls without content: let the instrumentation capture it (OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT)';
const NANO_PER_MS = 1_000_000n;

export function isSpan(fields: TraceFields): boolean {
  return Object.hasOwn(fields, 'spanId') && Object.hasOwn(fields, 'traceId');
}

/** Reads a span under OpenTelemetry's semantic conventions of GenAI and MCP. */
export function readSpan(span: TraceFields, resource: OtlpResource, context: Context): Read {
  const attributes = attributesOf(span['attributes']);
  const whose = whoseIs(span, attributes, resource, context);
  if (
    attributes['mcp.method.name'] === 'tools/call' ||
    attributes['gen_ai.operation.name'] === 'execute_tool'
  ) {
    return readTool(attributes, whose);
  }
  const isModel =
    MODEL_OPERATIONS.has(attributes['gen_ai.operation.name']) ||
    Object.hasOwn(attributes, 'gen_ai.request.model');
  return isModel ? readModel(span, attributes, whose) : { kind: 'skipped', why: OTHER_SPAN };
}

/** Unix ms at which a span began. */
export function startOf(span: TraceFields): number | undefined {
  const written = span['startTimeUnixNano'];
  if (typeof written === 'number' && Number.isFinite(written) && written > 0)
    return Math.floor(written / 1e6);
  if (typeof written !== 'string' || !/^\d{1,20}$/.test(written) || /^0+$/.test(written)) return undefined;
  return Number(BigInt(written) / NANO_PER_MS);
}

export function resourceOf(written: unknown): OtlpResource {
  return { attributes: attributesOf(isObject(written) ? written['attributes'] : undefined) };
}

type Whose = Pick<TracedStep, 'sessionId' | 'agent' | 'at'>;

function whoseIs(
  span: TraceFields,
  attributes: TraceFields,
  resource: OtlpResource,
  context: Context,
): Whose {
  const session =
    stringIn(attributes, ['gen_ai.conversation.id', 'session.id', 'mcp.session.id']) ??
    stringIn(span, ['traceId']);
  return {
    sessionId: session === undefined ? context.sessionId : sessionIdOf(session),
    agent: agentIn(attributes, resource) ?? context.agent,
    at: startOf(span),
  };
}

function agentIn(attributes: TraceFields, resource: OtlpResource): StepAgent | undefined {
  const name =
    stringIn(attributes, ['gen_ai.agent.name', 'gen_ai.agent.id']) ??
    stringIn(resource.attributes, ['gen_ai.agent.name', 'service.name']);
  return name === undefined ? undefined : agentOf(name);
}

function readTool(attributes: TraceFields, whose: Whose): Read {
  const tool = stringIn(attributes, ['gen_ai.tool.name', 'mcp.tool.name', 'tool.name']);
  if (tool === undefined) return { kind: 'unreadable', problem: 'a span of a tool needs gen_ai.tool.name' };
  const result = attributes['gen_ai.tool.call.result'] ?? attributes['mcp.tool.result'];
  const step: TracedStep = {
    ...whose,
    type: 'mcp_tool_call',
    callId: stringIn(attributes, ['gen_ai.tool.call.id', 'jsonrpc.request.id']),
    provider: undefined,
    model: undefined,
    content: undefined,
    server: stringIn(attributes, ['mcp.server.name', 'mcp.server']) ?? '',
    tool,
    arguments: argumentsOf(attributes['gen_ai.tool.call.arguments'] ?? attributes['mcp.tool.arguments']),
    result: argumentsOf(result),
    isError: attributes['error.type'] !== undefined,
  };
  return { kind: 'steps', steps: [step] };
}

function readModel(span: TraceFields, attributes: TraceFields, whose: Whose): Read {
  const prompt = promptOf(span, attributes);
  if (prompt === undefined) return { kind: 'skipped', why: NO_CONTENT };
  const model = stringIn(attributes, ['gen_ai.request.model', 'gen_ai.response.model']);
  const named = stringIn(attributes, ['gen_ai.provider.name', 'gen_ai.system']);
  const provider = named === undefined ? providerOfModel(model) : providerNamed(named);
  if (provider === undefined) {
    return { kind: 'unreadable', problem: 'gen_ai.provider.name is none that the gateway serves' };
  }
  const about = { ...whose, provider, model };
  const answer = answerOf(span, attributes);
  const answered = answer === undefined ? [] : [modelStep('llm_response', answer, about)];
  return { kind: 'steps', steps: [modelStep('llm_call', prompt, about), ...answered] };
}
