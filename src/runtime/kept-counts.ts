import { AggregatorRegistry } from 'prom-client';

import { isCount, type MetricJson } from '../telemetry/counts.ts';

export interface ProcessCounts {
  /** Replaces the values of these metrics. Gauges are ignored. */
  learn(metrics: readonly MetricJson[]): void;
  /** Adds the counts to those of ended processes. Must be called after the last message of the process. */
  retire(): void;
}

/**
 * Counters and histograms of all worker processes, including ended ones, because Prometheus takes a decreasing sum for
 * a counter reset.
 */
export interface KeptCounts {
  begin(): ProcessCounts;
  /** Returns metrics to be summed. Their sums never decrease. */
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
  // `get` refers to everything summed, and would keep the counts of all ended processes in memory.
  const summed = AggregatorRegistry.aggregate([...metrics]).getMetricsAsArray() as unknown as Summed[];
  return summed.map(({ get: _get, ...metric }) => metric);
}

type Summed = MetricJson & { readonly get: unknown };
