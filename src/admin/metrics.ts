import { AggregatorRegistry, Gauge, Registry } from 'prom-client';

import type { WorkerStatus } from '../runtime/workers.ts';
import type { Readiness } from './readiness.ts';

export interface RuntimeState {
  readonly readiness: Readiness;
  readonly workers: readonly WorkerStatus[];
  readonly envoyRestarts: number;
}

/** Prometheus text of the whole gateway: the workers' metrics added up, and the state of its parts. */
export async function renderMetrics(
  workerMetrics: readonly object[][],
  state: RuntimeState,
): Promise<string> {
  const own = runtimeMetrics(state);
  // Through JSON like the workers' own, so that one registry prints them all, each name once.
  const all = [...workerMetrics, await own.getMetricsAsJSON()];
  return AggregatorRegistry.aggregate(all).metrics();
}

function runtimeMetrics({ readiness, workers, envoyRestarts }: RuntimeState): Registry {
  const registry = new Registry();
  function gauge(name: string, help: string, value: number): void {
    new Gauge({ name, help, registers: [registry] }).set(value);
  }
  const restarts = workers.reduce((sum, worker) => sum + worker.restarts, 0);
  gauge('gateway_ready', '1 when a request would be served', readiness.ready ? 1 : 0);
  gauge('gateway_draining', '1 while the gateway is shutting down', readiness.draining ? 1 : 0);
  gauge('gateway_envoy_up', '1 when Envoy serves, or is run elsewhere', readiness.envoy === 'down' ? 0 : 1);
  gauge(
    'gateway_redis_ready',
    '1 when Redis is up on every worker and fit for use',
    readiness.redis === 'up' ? 1 : 0,
  );
  gauge('gateway_workers', 'Sidecar processes that serve', readiness.workers.ready);
  gauge('gateway_workers_wanted', 'Sidecar processes asked for', readiness.workers.wanted);
  gauge('gateway_worker_restarts', 'Times a sidecar process was started again', restarts);
  const hangs = workers.reduce((sum, worker) => sum + worker.hangs, 0);
  gauge('gateway_worker_hangs', 'Times a sidecar process said nothing any more, and was ended', hangs);
  gauge(
    'gateway_crash_loops',
    'Parts (sidecar processes, Envoy) that end again and again',
    readiness.crash_loops.length,
  );
  gauge('gateway_envoy_restarts', 'Times Envoy was started again', envoyRestarts);
  return registry;
}
