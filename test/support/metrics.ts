import type { TestGateway } from './gateway.ts';

/** One scrape of `/metrics`. */
export interface ScrapedMetrics {
  /** Returns the sum of the series of this name that have all these labels; undefined if there is none. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

const SERIES = /^(\w+)(?:\{([^}]*)\})? (\S+)$/gm;

export async function readMetrics(gateway: TestGateway): Promise<ScrapedMetrics> {
  const series = Array.from((await gateway.metrics()).matchAll(SERIES), ([, name, labels = '', value]) => ({
    name,
    labels: new Map(Array.from(labels.matchAll(/(\w+)="([^"]*)"/g), ([, label, of]) => [label, of])),
    value: Number(value),
  }));
  return {
    sum: (name, labels = {}) => {
      const those = series.filter(
        (one) =>
          one.name === name &&
          Object.entries(labels).every(([label, value]) => one.labels.get(label) === value),
      );
      return those.length === 0 ? undefined : those.reduce((total, { value }) => total + value, 0);
    },
  };
}
