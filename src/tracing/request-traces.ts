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
} from '@opentelemetry/api';
import type { EdgeTracing } from '../extproc/services.ts';
import { spanFacts } from './attributes.ts';
import { readTraceContext, traceHeaders } from './trace-context.ts';

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
