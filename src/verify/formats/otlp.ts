import { isObject } from '../../json/is-object.ts';
import type { Context, Read, StepAgent } from '../step.ts';
import { agentOf, sessionIdOf, stringIn, type TraceFields } from './fields.ts';
import { readOpenInferenceSpan } from './openinference-span.ts';
import { answerOf, attributesOf, eventsOf, promptOf } from './otlp-messages.ts';
import { holdsContent, modelReads, toolRead, type SpanOwner, type SpanView } from './span-steps.ts';
import { readVercelSpan } from './vercel-span.ts';

export interface OtlpResource {
  readonly attributes: TraceFields;
}

const MODEL_OPERATIONS: ReadonlySet<unknown> = new Set([
  'chat',
  'text_completion',
  'generate_content',
  'embeddings',
]);
const OTHER_SPAN = 'spans that are neither model calls nor tool calls';
const UNKNOWN_SPAN =
  'spans with content in unknown attributes (docs/verify.md): use the GenAI or OpenInference conventions';
const NANO_PER_MS = 1_000_000n;

export function isSpan(fields: TraceFields): boolean {
  return Object.hasOwn(fields, 'spanId') && Object.hasOwn(fields, 'traceId');
}

/** Reads a span that follows the conventions of Vercel's AI SDK, OpenTelemetry (GenAI, MCP) or OpenInference. */
export function readSpan(span: TraceFields, resource: OtlpResource, context: Context): Read[] {
  const attributes = attributesOf(span['attributes']);
  const view: SpanView = {
    name: stringIn(span, ['name']) ?? '',
    attributes,
    owner: ownerOf(span, attributes, resource, context),
    isFailed: isFailed(span),
  };
  return (
    readVercelSpan(view) ??
    readGenAiSpan(span, view) ??
    readOpenInferenceSpan(view) ??
    (hasUnreadContent(span, attributes)
      ? [{ kind: 'unjudged', why: UNKNOWN_SPAN }]
      : [{ kind: 'skipped', why: OTHER_SPAN }])
  );
}

function readGenAiSpan(span: TraceFields, { attributes, owner }: SpanView): Read[] | undefined {
  if (
    attributes['mcp.method.name'] === 'tools/call' ||
    attributes['gen_ai.operation.name'] === 'execute_tool'
  ) {
    return [readTool(attributes, owner)];
  }
  const isModel =
    MODEL_OPERATIONS.has(attributes['gen_ai.operation.name']) ||
    Object.hasOwn(attributes, 'gen_ai.request.model');
  if (!isModel) return undefined;
  const reads = modelReads(
    {
      prompt: promptOf(span, attributes),
      answer: answerOf(span, attributes),
      provider: stringIn(attributes, ['gen_ai.provider.name', 'gen_ai.system']),
      model: stringIn(attributes, ['gen_ai.request.model', 'gen_ai.response.model']),
    },
    owner,
  );
  // A span may follow both conventions, with its content in the other one.
  const isOther = Object.hasOwn(attributes, 'openinference.span.kind');
  return isOther && reads.some(({ kind }) => kind === 'unjudged') ? undefined : reads;
}

function hasUnreadContent(span: TraceFields, attributes: TraceFields): boolean {
  return holdsContent(attributes) || eventsOf(span).some((event) => holdsContent(event.attributes));
}

function isFailed({ status }: TraceFields): boolean {
  const code = isObject(status) ? status['code'] : undefined;
  return code === 2 || code === 'STATUS_CODE_ERROR';
}

/** Returns Unix ms, or undefined if the span has no valid start. */
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

function ownerOf(
  span: TraceFields,
  attributes: TraceFields,
  resource: OtlpResource,
  context: Context,
): SpanOwner {
  const session =
    stringIn(attributes, [
      'gen_ai.conversation.id',
      'session.id',
      'mcp.session.id',
      'ai.telemetry.metadata.sessionId',
    ]) ?? stringIn(span, ['traceId']);
  return {
    sessionId: session === undefined ? context.sessionId : sessionIdOf(session),
    agent: agentIn(attributes, resource) ?? context.agent,
    at: startOf(span),
  };
}

function agentIn(attributes: TraceFields, resource: OtlpResource): StepAgent | undefined {
  const name =
    stringIn(attributes, ['gen_ai.agent.name', 'gen_ai.agent.id', 'agent.name']) ??
    stringIn(resource.attributes, ['gen_ai.agent.name', 'service.name']);
  return name === undefined ? undefined : agentOf(name);
}

function readTool(attributes: TraceFields, owner: SpanOwner): Read {
  const tool = stringIn(attributes, ['gen_ai.tool.name', 'mcp.tool.name', 'tool.name']);
  if (tool === undefined) return { kind: 'unreadable', problem: 'a tool span needs gen_ai.tool.name' };
  const called = {
    tool,
    callId: stringIn(attributes, ['gen_ai.tool.call.id', 'jsonrpc.request.id']),
    server: stringIn(attributes, ['mcp.server.name', 'mcp.server']),
    arguments: attributes['gen_ai.tool.call.arguments'] ?? attributes['mcp.tool.arguments'],
    result: attributes['gen_ai.tool.call.result'] ?? attributes['mcp.tool.result'],
    isError: attributes['error.type'] !== undefined || attributes['gateway.refusal.type'] !== undefined,
  };
  return toolRead(called, owner);
}
