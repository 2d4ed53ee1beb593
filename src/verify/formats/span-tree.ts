import type { Read, ReadElement, TracedStep } from '../step.ts';
import { stringIn, type TraceFields } from './fields.ts';

export interface SpanTree {
  /** Records a span. May be called in any order. */
  note(span: TraceFields, reads: readonly Read[]): void;
  /** Drops repeated parts, and turns repeated tool calls into responses. Must be called in start order. */
  settle(element: ReadElement): ReadElement;
}

const REPEATED = 'spans around model calls that have their own spans';
/** Beyond this number, older spans are forgotten. Spans around them are then judged, or counted as unjudged. */
const MAX_SPANS = 200_000;
const MAX_CALLS = 50_000;

export function createSpanTree(): SpanTree {
  const parents = new Map<string, string>();
  /** Spans with a model call below them. */
  const around = new Set<string>();
  /** Ids of calls in model answers, by `callKeys`. */
  const requested = new Map<string, string | undefined>();

  function cover(span: string | undefined): void {
    for (let id = span; id !== undefined && !around.has(id); id = parents.get(id)) around.add(id);
  }

  function settleCalls(element: Extract<ReadElement, { kind: 'steps' }>): ReadElement {
    const isAnswer = element.steps.some(({ type }) => type === 'llm_response');
    const steps = element.steps.map((step): TracedStep => {
      if (step.type !== 'mcp_tool_call' || step.server !== '') return step;
      const keys = callKeys(step);
      if (isAnswer) {
        if (requested.size >= MAX_CALLS) requested.clear();
        for (const key of keys) requested.set(key, step.callId);
        return step;
      }
      const key = keys.find((each) => requested.has(each));
      if (key === undefined) return step;
      const callId = requested.get(key);
      for (const each of [key, ...callKeys({ ...step, callId })]) requested.delete(each);
      return { ...step, callId, type: 'mcp_tool_response' };
    });
    return { ...element, steps: steps.filter((step) => !isEmptyResponse(step)) };
  }

  return {
    note(span, reads) {
      const id = idOf(span, 'spanId');
      if (id === undefined) return;
      if (parents.size >= MAX_SPANS) {
        parents.clear();
        around.clear();
      }
      const parent = idOf(span, 'parentSpanId');
      if (parent !== undefined && parent !== id) parents.set(id, parent);
      if (around.has(id) || reads.some(isModelCall)) cover(parent);
    },
    settle(element) {
      if (element.kind !== 'steps' && element.kind !== 'unjudged') return element;
      const { span, isAround, ...read } = element;
      if (isAround === true && span !== undefined && around.has(span)) {
        return { index: read.index, line: read.line, kind: 'skipped', why: REPEATED };
      }
      return span !== undefined && read.kind === 'steps' ? settleCalls(read) : read;
    },
  };
}

export function spanKey(span: TraceFields): string | undefined {
  return idOf(span, 'spanId');
}

function idOf(span: TraceFields, member: 'spanId' | 'parentSpanId'): string | undefined {
  const id = stringIn(span, [member]);
  return id === undefined ? undefined : `${String(span['traceId'])}/${id}`;
}

function isModelCall(read: Read): boolean {
  return (
    read.kind === 'steps' && read.isAround !== true && read.steps.some(({ type }) => type === 'llm_call')
  );
}

/** Returns the keys by which a call in a model's answer is matched with the tool's span, which may lack the id. */
function callKeys({ sessionId, callId, tool, arguments: args }: TracedStep): string[] {
  const written = JSON.stringify([sessionId, tool, args ?? {}]);
  return callId === undefined ? [written] : [JSON.stringify([sessionId, callId]), written];
}

function isEmptyResponse({ type, result }: TracedStep): boolean {
  return type === 'mcp_tool_response' && result === undefined;
}
