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

/** Where the work that runs now belongs. */
interface Place {
  readonly request: Span;
  readonly context: Context;
}

/** The traces of one worker. */
export interface RequestTraces extends EdgeTracing {
  /** A child of what runs now; undefined where nobody would see it. */
  child(name: string, kind: SpanKind, attributes: Attributes): Span | undefined;
  /** What `work` does is part of `span`. */
  within<T>(span: Span, work: () => T): T;
  /** Of the request that runs now. */
  note(attributes: Attributes): void;
}

/** @param safe makes a text that a client wrote fit to be shown */
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

/** W3C Trace Context (www.w3.org/TR/trace-context), in and out. */
/** Version, trace id, parent id, flags; versions to come may say more behind them. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const NOBODY = /^0+$/;
/** What a propagator has to pass on; longer ones are left out whole, as they may be. */
const MAX_STATE_CHARS = 512;

type Headers = readonly (readonly [string, string])[];

/** The caller's span; undefined where none is told, or in a form that no caller may use. */
export function readTraceContext(headers: Headers): SpanContext | undefined {
  const parents = headers.filter(([name]) => name === 'traceparent');
  const [, version, traceId = '', spanId = '', flags = ''] =
    TRACEPARENT.exec(parents[0]?.[1].trim() ?? '') ?? [];
  if (parents.length !== 1 || version === undefined || NOBODY.test(traceId) || NOBODY.test(spanId))
    return undefined;
  // Version 00 has nothing behind its flags.
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

/** The headers that make `span` the parent of whoever gets them. */
export function traceHeaders({ traceId, spanId, traceFlags, traceState }: SpanContext): Headers {
  const flags = (traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0');
  const state = traceState?.serialize() ?? '';
  return [
    ['traceparent', `00-${traceId}-${spanId}-${flags}`],
    ...(state === '' ? [] : [['tracestate', state] as const]),
  ];
}
