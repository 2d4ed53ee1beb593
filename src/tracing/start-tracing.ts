import { setTimeout as delay } from 'node:timers/promises';
import { context, diag, logs, propagation, trace } from '@opentelemetry/api';
import { envDetector, resourceFromAttributes, serviceInstanceIdDetector } from '@opentelemetry/resources';
import {
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import { NodeSDK } from '@opentelemetry/sdk-node';
import type { DestinationStream } from 'pino';
import { useOtelVariables } from '../config/otel-variables.ts';
import type { Config } from '../config/schema.ts';
import { maskSecrets } from '../detectors/mask.ts';
import type { EdgeTracing } from '../extproc/services.ts';
import type { Check } from '../pipeline/check.ts';
import type { RedisClient } from '../redis/client.ts';
import { watchCommands } from '../redis/watch-commands.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { redisSpans } from './redis-spans.ts';
import { createRequestTraces } from './request-traces.ts';
import { createSpanExport } from './span-export.ts';
import { watchedCheck } from './watch-checks.ts';

const SERVICE = 'ai-firewall-gateway';
const CLOSE_WITHIN_MS = 3_000;
const MAX_TEXT_CHARS = 256;
const MAX_READ_CHARS = 4_096;

export interface TracingDeps {
  readonly config: Config;
  readonly worker: number;
  readonly version?: string | undefined;
  readonly redis: RedisClient;
  readonly output: DestinationStream;
  readonly metrics: Pick<Metrics, 'traceSpans'>;
  readonly log: Pick<Logger, 'warn'>;
}

export interface SidecarTracing {
  readonly edge: EdgeTracing;
  watched(check: Check): Check;
  /** Records the cost of the current request. */
  charged(costUsd: number): void;
  /** Exports waiting spans within a limited time. */
  close(): Promise<void>;
}

export async function startTracing(deps: TracingDeps): Promise<SidecarTracing> {
  const { config, redis, metrics, log } = deps;
  const { variables } = config.otel;
  useOtelVariables(variables);
  const spans = createSpanExport({ exporter: await exporterOf(deps), variables, metrics, log });
  const sdk = startSdk(deps, spans.processor);
  const traces = createRequestTraces(trace.getTracer(SERVICE), safe);
  watchCommands(redis, redisSpans(traces));
  return {
    edge: traces,
    watched: (check) => watchedCheck(check, traces),
    charged: (costUsd) => traces.note({ 'gateway.cost.usd': costUsd }),
    async close() {
      await Promise.race([
        sdk.shutdown().catch(() => undefined),
        delay(CLOSE_WITHIN_MS, undefined, { ref: false }),
      ]);
      for (const api of [trace, logs, context, propagation]) api.disable();
      spans.close();
    },
  };
}

/** Starts the OpenTelemetry SDK for traces only. It patches no modules, and is registered until `close`. */
function startSdk({ config, version, worker }: TracingDeps, processor: SpanProcessor): NodeSDK {
  const sdk = new NodeSDK({
    // Detectors override these attributes with OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
    resource: resourceFromAttributes({
      'service.name': SERVICE,
      ...(version !== undefined && { 'service.version': version }),
      'gateway.worker': worker,
    }),
    resourceDetectors: [serviceInstanceIdDetector, envDetector],
    sampler: samplerOf(config.otel),
    spanProcessors: [processor],
    instrumentations: [],
    metricReaders: [],
    logRecordProcessors: [],
    textMapPropagator: null,
  });
  // With OTEL_LOG_LEVEL, the SDK would write to the console, possibly quoting the collector.
  diag.disable();
  sdk.start();
  return sdk;
}

/**
 * Returns the sampler named by `OTEL_TRACES_SAMPLER`. By default, requests that the caller did not sample stay
 * unsampled, and all others are sampled at the configured rate, by trace id.
 */
function samplerOf({ sampling_rate, variables }: Config['otel']): Sampler {
  const ratio = new TraceIdRatioBasedSampler(sampling_rate);
  const named = variables['OTEL_TRACES_SAMPLER'];
  if (named === undefined) return new ParentBasedSampler({ root: ratio, remoteParentSampled: ratio });
  return named.startsWith('parentbased_') ? new ParentBasedSampler({ root: ratio }) : ratio;
}

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

function safe(text: string): string {
  return maskSecrets(text.slice(0, MAX_READ_CHARS)).slice(0, MAX_TEXT_CHARS);
}
