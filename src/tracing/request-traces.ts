import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
  createTraceState,
  TraceFlags,
  type SpanContext,
} from '@opentelemetry/api';
import type { EdgeTracing } from '../extproc/services.ts';
import { spanFacts } from './attributes.ts';

/** The current request and the context of its active span. */
interface Place {
  readonly request: Span;
  readonly context: Context;
}

/** Traces of one worker. */
export interface RequestTraces extends EdgeTracing {
  /** Starts a child of the active span; undefined if the request is not recorded. */
  child(name: string, kind: SpanKind, attributes: Attributes): Span | undefined;
  /** Runs `work` with `span` as the active span. */
  within<T>(span: Span, work: () => T): T;
  /** Adds attributes to the current request's span. */
  note(attributes: Attributes): void;
}

/** @param safe makes client text safe to export */
export function createRequestTraces(tracer: Tracer, safe: (text: string) => string): RequestTraces {
  const places = new AsyncLocalStorage<Place>();
  return {
    begin(headers) {
      const caller = readTraceContext(headers);
      const parent = caller === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, caller);
      const request = tracer.startSpan('request', { kind: SpanKind.SERVER }, parent);
      const place = { request, context: trace.setSpan(ROOT_CONTEXT, request) };
      return {
        run: (work) => places.run(place, work),
        upstreamHeaders: traceHeaders(request.spanContext()),
        end(finished) {
          if (finished !== undefined && request.isRecording()) {
            const { name, attributes, isError } = spanFacts(finished, safe);
            request.updateName(name).setAttributes(attributes);
            if (isError) request.setStatus({ code: SpanStatusCode.ERROR });
          }
          request.end();
        },
      };
    },
    child(name, kind, attributes) {
      const place = places.getStore();
      if (place?.request.isRecording() !== true) return undefined;
      return tracer.startSpan(name, { kind, attributes }, place.context);
    },
    within(span, work) {
      const place = places.getStore();
      if (place === undefined) return work();
      return places.run({ request: place.request, context: trace.setSpan(place.context, span) }, work);
    },
    note(attributes) {
      places.getStore()?.request.setAttributes(attributes);
    },
  };
}

/** `traceparent` of W3C Trace Context (www.w3.org/TR/trace-context). Later versions may append fields. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const ALL_ZERO = /^0+$/;
/** Longest `tracestate` that propagators must pass on. Longer ones are dropped, which the standard allows. */
const MAX_STATE_CHARS = 512;

type Headers = readonly (readonly [string, string])[];

/** Returns the caller's span context; undefined if it is missing or invalid. */
export function readTraceContext(headers: Headers): SpanContext | undefined {
  const parents = headers.filter(([name]) => name === 'traceparent');
  const [, version, traceId = '', spanId = '', flags = ''] =
    TRACEPARENT.exec(parents[0]?.[1].trim() ?? '') ?? [];
  if (parents.length !== 1 || version === undefined || ALL_ZERO.test(traceId) || ALL_ZERO.test(spanId))
    return undefined;
  // Version 00 has no fields after its flags.
  if (version === '00' && parents[0]?.[1].trim().length !== 55) return undefined;
  const states = headers.filter(([name]) => name === 'tracestate').map(([, value]) => value);
  const state = states.join(',');
  return {
    traceId,
    spanId,
    isRemote: true,
    traceFlags: parseInt(flags, 16) & TraceFlags.SAMPLED,
    ...(state !== '' && state.length <= MAX_STATE_CHARS && { traceState: createTraceState(state) }),
  };
}

/** Returns the headers that make `span` the parent of the receiver's spans. */
export function traceHeaders({ traceId, spanId, traceFlags, traceState }: SpanContext): Headers {
  const flags = (traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0');
  const state = traceState?.serialize() ?? '';
  return [
    ['traceparent', `00-${traceId}-${spanId}-${flags}`],
    ...(state === '' ? [] : [['tracestate', state] as const]),
  ];
}
