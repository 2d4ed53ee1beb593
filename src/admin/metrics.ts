import { AggregatorRegistry, Gauge, Registry } from 'prom-client';

import type { WorkerStatus } from '../runtime/workers.ts';
import type { Readiness } from './readiness.ts';

export interface RuntimeState {
  readonly readiness: Readiness;
  readonly workers: readonly WorkerStatus[];
  readonly envoyRestarts: number;
}

/** Returns the Prometheus text of the whole gateway: summed worker metrics and the state of its parts. */
export async function renderMetrics(
  workerMetrics: readonly object[][],
  state: RuntimeState,
): Promise<string> {
  const own = runtimeMetrics(state);
  // Merged as JSON with the workers' metrics, so that each name is printed once.
  const all = [...workerMetrics, await own.getMetricsAsJSON()];
  return AggregatorRegistry.aggregate(all).metrics();
}

function runtimeMetrics({ readiness, workers, envoyRestarts }: RuntimeState): Registry {
  const registry = new Registry();
  function gauge(name: string, help: string, value: number): void {
    new Gauge({ name, help, registers: [registry] }).set(value);
  }
  const restarts = workers.reduce((sum, worker) => sum + worker.restarts, 0);
  gauge('gateway_ready', '1 if requests can be served', readiness.ready ? 1 : 0);
  gauge('gateway_draining', '1 while the gateway is shutting down', readiness.draining ? 1 : 0);
  gauge('gateway_envoy_up', '1 if Envoy is live or runs externally', readiness.envoy === 'down' ? 0 : 1);
  gauge(
    'gateway_redis_ready',
    '1 if every worker is connected to a suitable Redis',
    readiness.redis === 'up' ? 1 : 0,
  );
  gauge('gateway_workers', 'Sidecar processes that accept requests', readiness.workers.ready);
  gauge('gateway_workers_wanted', 'Configured number of sidecar processes', readiness.workers.wanted);
  gauge('gateway_worker_restarts', 'Restarts of sidecar processes', restarts);
  const hangs = workers.reduce((sum, worker) => sum + worker.hangs, 0);
  gauge('gateway_worker_hangs', 'Sidecar processes killed because they hung', hangs);
  gauge(
    'gateway_crash_loops',
    'Parts (sidecar processes, Envoy) in a crash loop',
    readiness.crash_loops.length,
  );
  gauge('gateway_envoy_restarts', 'Restarts of Envoy', envoyRestarts);
  return registry;
}
