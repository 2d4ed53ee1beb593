import { TraceFlags } from '@opentelemetry/api';
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Config } from '../config/schema.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** Defaults of `OTEL_BSP_*`. Each worker has a separate queue. */
const MAX_QUEUED = 4_096;
const MAX_BATCH = 512;
const EXPORT_EVERY_MS = 1_000;
const EXPORT_WITHIN_MS = 10_000;
const REPORT_EVERY_MS = 60_000;

interface SpanExportParts {
  readonly exporter: SpanExporter;
  readonly variables: Config['otel']['variables'];
  readonly metrics: Pick<Metrics, 'traceSpans'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Exports spans in batches, and drops those beyond the queue. Losses are counted, and logged at most once a minute. */
export interface SpanExport {
  readonly processor: SpanProcessor;
  /** Counts spans that have not been exported as dropped, and logs the losses since the last line. */
  close(): void;
}

export function createSpanExport({ exporter, variables, metrics, log }: SpanExportParts): SpanExport {
  const limit = (name: string, preset: number): number => Number(variables[`OTEL_BSP_${name}`] ?? preset);
  const maxQueueSize = limit('MAX_QUEUE_SIZE', MAX_QUEUED);
  const { traceSpans } = metrics;
  const lost = lossReport(log);
  let waiting = 0;
  let exporting = 0;

  function drop(spans: number): void {
    if (spans === 0) return;
    traceSpans.inc({ outcome: 'dropped' }, spans);
    lost.add('dropped', spans);
  }

  const batches = new BatchSpanProcessor({
    exporter: {
      export(spans, done) {
        waiting -= spans.length;
        exporting += spans.length;
        exporter.export(spans, (result) => {
          exporting -= spans.length;
          const isExported = result.code === 0;
          traceSpans.inc({ outcome: isExported ? 'exported' : 'failed' }, spans.length);
          if (!isExported) lost.add('failed', spans.length, codeOf(result.error));
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
      forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    },
    maxQueueSize,
    maxExportBatchSize: Math.min(limit('MAX_EXPORT_BATCH_SIZE', MAX_BATCH), maxQueueSize),
    scheduledDelayMillis: limit('SCHEDULE_DELAY', EXPORT_EVERY_MS),
    exportTimeoutMillis: limit('EXPORT_TIMEOUT', EXPORT_WITHIN_MS),
  });
  const processor: SpanProcessor = {
    onStart: (span, context) => batches.onStart(span, context),
    onEnd(span) {
      const isSampled = (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
      if (!isSampled) return;
      // The processor's own limit drops spans silently.
      if (waiting >= maxQueueSize) {
        drop(1);
        return;
      }
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
  return {
    processor,
    close() {
      drop(waiting + exporting);
      lost.close();
    },
  };
}

/** Returns the gRPC code or HTTP status of a failed export, because the message may quote the collector. */
function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'number' || typeof code === 'string' ? String(code).slice(0, 64) : undefined;
}

/** Logs the first loss immediately, and further losses at most once a minute. */
function lossReport(log: Pick<Logger, 'warn'>) {
  const lost = { dropped: 0, failed: 0 };
  let cause: string | undefined;
  let reportedAt = -Infinity;
  function report(): void {
    if (lost.dropped + lost.failed === 0) return;
    const remedy = 'check otel.endpoint and the collector, or lower otel.sampling_rate';
    log.warn(
      { spans_dropped: lost.dropped, spans_failed: lost.failed, cause },
      `trace spans are lost: ${remedy}`,
    );
    lost.dropped = 0;
    lost.failed = 0;
    reportedAt = performance.now();
  }
  return {
    add(outcome: keyof typeof lost, spans: number, code?: string): void {
      lost[outcome] += spans;
      cause = code ?? cause;
      if (performance.now() - reportedAt >= REPORT_EVERY_MS) report();
    },
    close: report,
  };
}
