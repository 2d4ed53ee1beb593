/** Returns the median: for an even number of values, the mean of the middle two; 0 for no values. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
}

/** Returns the median of each field. */
export function medians<Field extends string>(
  samples: readonly Readonly<Record<Field, number>>[],
  fields: readonly Field[],
): Record<Field, number> {
  const entries = fields.map((field) => [field, median(samples.map((sample) => sample[field]))]);
  return Object.fromEntries(entries) as Record<Field, number>;
}
