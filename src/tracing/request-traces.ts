import { AsyncLocalStorage } from 'node:async_hooks';

import {
  createTraceState,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';

import type { EdgeTracing, UpstreamCall } from '../extproc/services.ts';
import { providerName, spanFacts } from './attributes.ts';

/** A shorter part gets a span only if something happened in it. */
const LONG_MS = 1;

/** The current request, and the parent of new spans. */
interface Scope {
  readonly request: Span;
  /** Returns the context of the innermost part. Starts the part's span if needed. */
  context(): Context;
}

/** A part of a request, such as a check's hook. Its span is created when needed. */
export interface TracePart {
  /** Runs `work`. Spans started in it become children of the part's span. */
  run<T>(work: () => T): T;
  /** @param result undefined if nothing happened; a short part without children then gets no span */
  end(result: PartResult | undefined): void;
}

export interface PartResult {
  readonly attributes?: Attributes;
  readonly isFailed?: boolean;
}

export interface RequestTraces extends EdgeTracing {
  /** Starts a span in the current part. Returns undefined if the request is not recorded. */
  child(name: string, kind: SpanKind, attributes: Attributes): Span | undefined;
  /** Returns the current part of a recorded request, for comparison only. */
  current(): object | undefined;
  /** Begins a part of the current request. Returns undefined if the request is not recorded. */
  part(name: string, attributes: Attributes): TracePart | undefined;
  note(attributes: Attributes): void;
}

/** @param safe makes text from clients safe to export */
export function createRequestTraces(tracer: Tracer, safe: (text: string) => string): RequestTraces {
  const scopes = new AsyncLocalStorage<Scope>();
  return {
    begin(headers) {
      const caller = readTraceContext(headers);
      const parent = caller === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, caller);
      const request = tracer.startSpan('request', { kind: SpanKind.SERVER }, parent);
      const context = trace.setSpan(ROOT_CONTEXT, request);
      const scope = { request, context: () => context };
      let upstream: Span | undefined;
      function answered(): void {
        upstream?.end();
        upstream = undefined;
      }
      return {
        isRecorded: request.isRecording(),
        traceId: request.isRecording() ? request.spanContext().traceId : undefined,
        run: (work) => scopes.run(scope, work),
        traceState: request.spanContext().traceState?.serialize(),
        forward(call) {
          // An unrecorded request needs no separate span.
          if (!request.isRecording()) return traceHeaders(request.spanContext());
          upstream = tracer.startSpan(...upstreamSpan(call), context);
          return traceHeaders(upstream.spanContext());
        },
        answering(status) {
          if (upstream === undefined) return;
          upstream.addEvent('response headers');
          upstream.setAttribute('http.response.status_code', status);
          if (status < 400) return;
          upstream.setAttribute('error.type', String(status)).setStatus({ code: SpanStatusCode.ERROR });
        },
        answered,
        end(finished) {
          answered();
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
      const scope = scopes.getStore();
      if (scope?.request.isRecording() !== true) return undefined;
      return tracer.startSpan(name, { kind, attributes }, scope.context());
    },
    current() {
      const scope = scopes.getStore();
      return scope?.request.isRecording() === true ? scope : undefined;
    },
    part(name, attributes) {
      const scope = scopes.getStore();
      if (scope?.request.isRecording() !== true) return undefined;
      return beginPart({ tracer, scopes, scope, name, attributes });
    },
    note(attributes) {
      scopes.getStore()?.request.setAttributes(attributes);
    },
  };
}

function upstreamSpan({ provider, mcpServer, host }: UpstreamCall) {
  const attributes: Attributes = {
    'server.address': host,
    ...(mcpServer !== undefined && { 'gateway.mcp.server': mcpServer }),
    ...(mcpServer === undefined &&
      provider !== undefined && { 'gen_ai.provider.name': providerName(provider) }),
  };
  return [`upstream ${mcpServer ?? provider ?? ''}`, { kind: SpanKind.CLIENT, attributes }] as const;
}

interface PartOptions {
  readonly tracer: Tracer;
  readonly scopes: AsyncLocalStorage<Scope>;
  readonly scope: Scope;
  readonly name: string;
  readonly attributes: Attributes;
}

function beginPart({ tracer, scopes, scope, name, attributes }: PartOptions): TracePart {
  const startTime = performance.now();
  let span: Span | undefined;
  let isOver = false;
  const open = (): Span => (span ??= tracer.startSpan(name, { attributes, startTime }, scope.context()));
  const inside: Scope = {
    request: scope.request,
    // Work that outlives a part without a span belongs to the enclosing part.
    context: () => (isOver && span === undefined ? scope.context() : trace.setSpan(ROOT_CONTEXT, open())),
  };
  return {
    run: (work) => scopes.run(inside, work),
    end(result) {
      const endTime = performance.now();
      isOver = true;
      if (span === undefined && result === undefined && endTime - startTime < LONG_MS) return;
      const ended = open();
      if (result?.attributes !== undefined) ended.setAttributes(result.attributes);
      if (result?.isFailed === true) ended.setStatus({ code: SpanStatusCode.ERROR });
      ended.end(endTime);
    },
  };
}

/** `traceparent` in W3C Trace Context (www.w3.org/TR/trace-context). Later versions may append fields. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const ALL_ZERO = /^0+$/;
/** Length of `tracestate` that propagators must forward. Longer values are dropped, as the standard allows. */
const MAX_STATE_CHARS = 512;

type Headers = readonly (readonly [string, string])[];

/** Returns the caller's span context, or undefined if it is missing or invalid. */
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
