import { createTraceState, TraceFlags, type SpanContext } from '@opentelemetry/api';

/** `traceparent` in W3C Trace Context (www.w3.org/TR/trace-context). Later versions may append fields. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const ALL_ZERO = /^0+$/;
/** Length of `tracestate` that propagators must forward. A longer value is dropped, as the standard allows. */
const MAX_STATE_CHARS = 512;

type Headers = readonly (readonly [string, string])[];

/** Returns the span context of the caller; undefined if it is missing or invalid. */
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
