import type { Registry } from 'prom-client';

/** A metric as returned by prom-client's `getMetricsAsJSON`. */
export interface MetricJson {
  readonly name: string;
  readonly type: string;
  readonly values: readonly { readonly value: number }[];
}

export async function metricsAsJson(registry: Registry): Promise<MetricJson[]> {
  // prom-client declares `type` as a numeric enum, but it is a string.
  return (await registry.getMetricsAsJSON()) as unknown as MetricJson[];
}

/** Reports whether a metric never decreases, so that its values stay valid after its process has ended. */
export function isCount({ type }: Pick<MetricJson, 'type'>): boolean {
  return type === 'counter' || type === 'histogram';
}

/** Returns a function that returns the counters and histograms that have increased since the last call. */
export function watchCounts(registry: Registry): () => Promise<MetricJson[]> {
  const sums = new Map<string, number>();
  return async () => {
    const counts = await Promise.all(countNames(registry).map((name) => readMetric(registry, name)));
    return counts.filter((metric): metric is MetricJson => {
      if (metric === undefined) return false;
      // Counts never decrease, so equal sums mean equal values.
      const sum = metric.values.reduce((total, { value }) => total + value, 0);
      const hasIncreased = sum !== sums.get(metric.name);
      sums.set(metric.name, sum);
      return hasIncreased;
    });
  };
}

function countNames(registry: Registry): string[] {
  const metrics = registry.getMetricsAsArray() as unknown as MetricJson[];
  return metrics.filter(isCount).map(({ name }) => name);
}

async function readMetric(registry: Registry, name: string): Promise<MetricJson | undefined> {
  return (await registry.getSingleMetric(name)?.get()) as MetricJson | undefined;
}
