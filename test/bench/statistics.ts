/** For an even number of values, the mean of the two in the middle; 0 for none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
}

/** Field by field. */
export function medians<Field extends string>(
  samples: readonly Readonly<Record<Field, number>>[],
  fields: readonly Field[],
): Record<Field, number> {
  const entries = fields.map((field) => [field, median(samples.map((sample) => sample[field]))]);
  return Object.fromEntries(entries) as Record<Field, number>;
}
