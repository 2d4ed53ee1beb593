/** W3C Trace Context (www.w3.org/TR/trace-context), in and out. */
import { createTraceState, TraceFlags, type SpanContext } from '@opentelemetry/api';

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
