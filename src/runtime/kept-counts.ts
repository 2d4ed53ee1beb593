import { AggregatorRegistry } from 'prom-client';

import { isCount, type MetricJson } from '../telemetry/counts.ts';

/** Counters and histograms of one worker process. */
export interface ProcessCounts {
  /** Records the newest state of these metrics. Gauges are ignored. */
  learn(metrics: readonly MetricJson[]): void;
  /** Adds the counts to those of ended processes. Called after the last message of the process. */
  retire(): void;
}

/**
 * Counters and histograms of all worker processes, also of those that have ended. Without them the sum over the workers
 * would fall when a process dies, and Prometheus would take that for a counter that began at zero again.
 */
export interface KeptCounts {
  begin(): ProcessCounts;
  /** Returns metrics to be summed. Their sum never falls. */
  all(): MetricJson[][];
}

export function createKeptCounts(): KeptCounts {
  const running = new Set<Map<string, MetricJson>>();
  let ended: MetricJson[] = [];
  return {
    begin() {
      const counts = new Map<string, MetricJson>();
      return {
        learn(metrics) {
          running.add(counts);
          for (const metric of metrics) if (isCount(metric)) counts.set(metric.name, metric);
        },
        retire() {
          if (running.delete(counts)) ended = sum([ended, [...counts.values()]]);
        },
      };
    },
    all: () => [ended, ...Array.from(running, (counts) => [...counts.values()])],
  };
}

function sum(metrics: readonly MetricJson[][]): MetricJson[] {
  // A registry keeps the metrics it was given with their `get` functions, which refer to everything summed:
  // counts of all ended processes would stay in memory.
  const summed = AggregatorRegistry.aggregate([...metrics]).getMetricsAsArray() as unknown as Summed[];
  return summed.map(({ get: _get, ...metric }) => metric);
}

type Summed = MetricJson & { readonly get: unknown };
