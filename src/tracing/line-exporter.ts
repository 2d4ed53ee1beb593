import { SpanStatusCode, type HrTime } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

const OK = 0;

/** Writes each span as a line of OTLP/JSON (`otel.protocol: stdout`), which `gateway verify` reads. */
export function createLineExporter(write: (line: string) => void): SpanExporter {
  return {
    export(spans, done) {
      for (const span of spans) write(`${JSON.stringify(lineOf(span))}\n`);
      done({ code: OK });
    },
    shutdown: () => Promise.resolve(),
    forceFlush: () => Promise.resolve(),
  };
}

function lineOf(span: ReadableSpan): object {
  const { traceId, spanId } = span.spanContext();
  return {
    traceId,
    spanId,
    ...(span.parentSpanContext && { parentSpanId: span.parentSpanContext.spanId }),
    name: span.name,
    // OTLP counts span kinds from 1, the API from 0.
    kind: span.kind + 1,
    startTimeUnixNano: nanos(span.startTime),
    endTimeUnixNano: nanos(span.endTime),
    attributes: Object.entries(span.attributes).map(([key, value]) => ({
      key,
      value: attributeValue(value),
    })),
    ...(span.status.code === SpanStatusCode.ERROR && { status: { code: SpanStatusCode.ERROR } }),
  };
}

function nanos([seconds, rest]: HrTime): string {
  return String(BigInt(seconds) * 1_000_000_000n + BigInt(Math.round(rest)));
}

function attributeValue(value: unknown): object {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { stringValue: String(value) };
}
