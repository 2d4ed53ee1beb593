import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TracerProvider,
  TraceIdRatioBasedSampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { DestinationStream } from 'pino';
import type { Config } from '../config/schema.ts';
import { maskSecrets } from '../detectors/mask.ts';
import type { Check } from '../pipeline/check.ts';
import type { RedisClient } from '../redis/client.ts';
import { watchCommands } from '../redis/watch-commands.ts';
import type { EdgeTracing } from '../extproc/services.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { createRequestTraces } from './request-traces.ts';
import { watchedCheck } from './watch-checks.ts';

const SERVICE = 'ai-firewall-gateway';
/** Spans waiting for export. Further ones are dropped. */
const MAX_QUEUED = 4_096;
const MAX_BATCH = 512;
const EXPORT_EVERY_MS = 1_000;
const EXPORT_WITHIN_MS = 10_000;
const CLOSE_WITHIN_MS = 3_000;
/** Limit for exported client text. */
const MAX_TEXT_CHARS = 256;
const MAX_READ_CHARS = 4_096;

export interface TracingDeps {
  readonly config: Config;
  readonly worker: number;
  readonly redis: RedisClient;
  readonly output: DestinationStream;
  readonly metrics: Pick<Metrics, 'traceSpans'>;
}

/** The tracing of one sidecar. */
export interface SidecarTracing {
  readonly edge: EdgeTracing;
  watched(check: Check): Check;
  /** Records the cost of the current request. */
  charged(costUsd: number): void;
  /** Exports waiting spans, for a limited time. */
  close(): Promise<void>;
}

export async function startTracing(deps: TracingDeps): Promise<SidecarTracing> {
  const { config, worker, redis, metrics } = deps;
  const ratio = new TraceIdRatioBasedSampler(config.otel.sampling_rate);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': SERVICE,
      'service.instance.id': `${String(process.pid)}-${String(worker)}`,
    }),
    // Requests that the caller did not sample stay unsampled. Others are sampled at our rate, by trace id.
    sampler: new ParentBasedSampler({ root: ratio, remoteParentSampled: ratio }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: countingExporter(await exporterOf(deps), metrics),
        maxQueueSize: MAX_QUEUED,
        maxExportBatchSize: MAX_BATCH,
        scheduledDelayMillis: EXPORT_EVERY_MS,
        exportTimeoutMillis: EXPORT_WITHIN_MS,
      }),
    ],
  });
  const traces = createRequestTraces(provider.getTracer(SERVICE), safe);
  watchCommands(redis, (name) => {
    const operation = name.toUpperCase();
    const attributes = { 'db.system.name': 'redis', 'db.operation.name': operation };
    const span = traces.child(operation, SpanKind.CLIENT, attributes);
    return (
      span &&
      ((failed) => {
        if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      })
    );
  });
  return {
    edge: traces,
    watched: (check) => watchedCheck(check, traces),
    charged: (costUsd) => traces.note({ 'gateway.cost.usd': costUsd }),
    close: () => Promise.race([provider.shutdown().catch(() => undefined), later(CLOSE_WITHIN_MS)]),
  };
}

/** Imports only the exporter in use. */
async function exporterOf({ config: { otel }, output }: TracingDeps): Promise<SpanExporter> {
  switch (otel.protocol) {
    case 'stdout': {
      const { createLineExporter } = await import('./line-exporter.ts');
      return createLineExporter((line) => output.write(line));
    }
    case 'grpc': {
      const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-grpc');
      return new OTLPTraceExporter({ url: endpointUrl(otel.endpoint).href });
    }
    case 'http': {
      const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
      const url = endpointUrl(otel.endpoint);
      if (url.pathname === '/') url.pathname = '/v1/traces';
      return new OTLPTraceExporter({ url: url.href });
    }
  }
}

function endpointUrl(endpoint: string): URL {
  return new URL(/^https?:\/\//i.test(endpoint) ? endpoint : `http://${endpoint}`);
}

function countingExporter(exporter: SpanExporter, { traceSpans }: TracingDeps['metrics']): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        traceSpans.inc({ outcome: result.code === 0 ? 'exported' : 'failed' }, spans.length);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

function safe(text: string): string {
  return maskSecrets(text.slice(0, MAX_READ_CHARS)).slice(0, MAX_TEXT_CHARS);
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
