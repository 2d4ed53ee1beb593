/** The value below which this share of the numbers lies; they are sorted. 0 where there are none. */
export { percentile } from '../support/load.ts';
import { percentile } from '../support/load.ts';

export function median(numbers: readonly number[]): number {
  return percentile(
    numbers.toSorted((a, b) => a - b),
    0.5,
  );
}

/** Field by field. */
export function medians<Field extends string>(
  samples: readonly Readonly<Record<Field, number>>[],
  fields: readonly Field[],
): Record<Field, number> {
  const entries = fields.map((field) => [field, median(samples.map((sample) => sample[field]))]);
  return Object.fromEntries(entries) as Record<Field, number>;
}
