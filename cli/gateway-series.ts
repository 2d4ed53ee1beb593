/** One series of a metric. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LABEL = /([a-z_]{1,64})="([^"\\\n]{0,256})"/g;

/** Returns the series of one metric from Prometheus text. */
export function readSeries(text: string, metric: string): readonly Series[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith(`${metric}{`)) return [];
    const end = line.lastIndexOf('} ');
    if (end < 0) return [];
    const labels = [...line.slice(metric.length, end).matchAll(LABEL)].map(([, name = '', value = '']) => [
      name,
      value,
    ]);
    return [{ labels: Object.fromEntries(labels) as Series['labels'], value: Number(line.slice(end + 2)) }];
  });
}
