import { tracedStep, type Read, type TracedStep } from '../step.ts';
import { argumentsOf, providerNamed, providerOfModel, type TraceFields } from './fields.ts';
import { callsIn, callStep, modelStep } from './messages.ts';
import { isObject } from '../../json/is-object.ts';

export type SpanOwner = Pick<TracedStep, 'sessionId' | 'agent' | 'at'>;

export interface SpanView {
  readonly name: string;
  readonly attributes: TraceFields;
  readonly owner: SpanOwner;
  readonly isFailed: boolean;
}

const NO_CONTENT =
  'spans of calls without content: let the instrumentation capture it (OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT, recordInputs)';

export interface ModelSpan {
  /** Chat messages; undefined if they were not recorded. */
  readonly prompt: readonly TraceFields[] | undefined;
  readonly answer: TraceFields | undefined;
  readonly provider: string | undefined;
  readonly model: string | undefined;
}

/** Returns the steps of a model call. An unrecorded prompt counts as unjudged; the answer is still judged. */
export function modelReads({ prompt, answer, provider, model }: ModelSpan, owner: SpanOwner): Read[] {
  const named = provider === undefined ? undefined : providerNamed(provider);
  const about = { ...owner, provider: named ?? providerOfModel(model), model };
  const steps = [
    ...(prompt === undefined ? [] : [modelStep('llm_call', prompt, about)]),
    ...(answer === undefined ? [] : [modelStep('llm_response', answer, about)]),
    ...(answer === undefined ? [] : callsIn(answer).map((call) => callStep(call, owner))),
  ];
  return [
    ...(steps.length === 0 ? [] : [{ kind: 'steps' as const, steps }]),
    ...(prompt === undefined ? [{ kind: 'unjudged' as const, why: NO_CONTENT }] : []),
  ];
}

export interface ToolSpan {
  readonly tool: string;
  readonly callId: string | undefined;
  readonly server?: string | undefined;
  readonly arguments: unknown;
  readonly result: unknown;
  readonly isError: boolean;
}

export function toolRead(
  { server = '', result, arguments: written, ...span }: ToolSpan,
  owner: SpanOwner,
): Read {
  const step = tracedStep({
    ...owner,
    ...span,
    type: 'mcp_tool_call',
    server,
    arguments: argumentsOf(written),
    result: argumentsOf(result),
  });
  return { kind: 'steps', steps: [step] };
}

export function parsedAttribute(written: unknown): unknown {
  if (typeof written !== 'string') return written;
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}

export function asText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Words in attribute names that stand for prompts, tool calls or answers. */
const CONTENT_WORDS = new Set(
  'prompt prompts completion completions message messages input inputs output outputs args arguments parameters result results response responses content contents text query document documents tool_calls toolcalls value values body request'.split(
    ' ',
  ),
);
/** Namespaces unrelated to models. */
const OTHER_NAMESPACES = new Set(
  'http db net network server client url rpc messaging exception error code thread process host service telemetry otel cloud k8s container faas user_agent peer feature_flag graphql aws enduser os webengine log dns tls nodejs browser sampler'.split(
    ' ',
  ),
);

/** Reports whether unknown attributes may contain text that policies would judge. */
export function holdsContent(attributes: TraceFields): boolean {
  return Object.entries(attributes).some(([name, value]) => {
    if ((typeof value !== 'string' && !isObject(value) && !Array.isArray(value)) || value === '')
      return false;
    const parts = name.toLowerCase().split('.');
    if (OTHER_NAMESPACES.has(parts[0] ?? '')) return false;
    return parts.some((part) => CONTENT_WORDS.has(part) || /(?:input|output|prompt|messages)s?$/.test(part));
  });
}
